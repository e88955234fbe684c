"""Protects code of agents: it runs on the machine and nowhere else, its calls are actions like any, and whatever it does is told and harms nothing."""

from collections.abc import Iterator

import pytest

from eval_flows.episodes.environment import Environment, Observation
from eval_flows.episodes.tasks.suite import tasks_of
from machines.actions import RUN_CODE, Action
from machines.image import Image
from machines.sandbox import Sandbox


@pytest.fixture(scope="module")
def environment(image: Image) -> Iterator[Environment]:
    with Environment(Sandbox(image), sees=("clipboard",)) as made:
        made.reset(next(task for task in tasks_of("smoke") if task.programs == ["mousepad"]))
        yield made


def ran(environment: Environment, code: str) -> Observation:
    return environment.step(Action(RUN_CODE, {"code": code}))


def text_in_front(seen: Observation) -> str:
    return next(element.text for element in seen.elements if "focused" in element.states)


def test_code_is_the_users_on_the_machine_and_what_it_prints_is_told(environment: Environment) -> None:
    seen = ran(environment, "import os, sys\nprint(os.getcwd(), os.getuid())\nos.system('echo from a shell')\nprint('last', file=sys.stderr)")
    assert (seen.printed, seen.feedback) == ("/home/agent 1000\nfrom a shell\nlast\n", "")
    assert ran(environment, "print(__name__); 1").printed == "__main__\n" and ran(environment, "pass").printed == ""


def test_its_calls_are_the_actions_of_every_agent(environment: Environment) -> None:
    number = next(element.number for element in environment.observation.elements if element.role == "text")
    seen = ran(environment, f"computer.mouse.single_click(id={number})\ncomputer.keyboard.press('ctrl+a')\ncomputer.keyboard.write('Zoë <3')")
    assert (text_in_front(seen), seen.feedback) == ("Zoë <3", "") and seen.pointer is not None
    seen = ran(environment, "computer.clipboard.copy_text('pears')\ncomputer.clipboard.paste()")
    assert text_in_front(seen) == "Zoë <3pears" and seen.clipboard == "pears"


def test_pyautogui_has_its_names_and_does_the_same(environment: Environment) -> None:
    code = """
import pyautogui as gui, pyperclip
gui.PAUSE = 1
gui.hotkey('ctrl', 'a'); gui.typewrite('one two'); gui.press(['home', 'enter', 'up']); gui.write(['A', '+'])
gui.keyDown('shift'); gui.press('home'); gui.keyUp('shift'); gui.hotkey('ctrl', 'c')
gui.moveTo(100, 200, duration=1); gui.moveRel(5, -5)
print(gui.size(), gui.position(), pyperclip.paste())
gui.scroll(-3); gui.moveTo(5000, 9000); print(gui.position())
"""
    seen = ran(environment, code)
    assert seen.printed == "(1280, 800) (105, 195) A+\n(1279, 799)\n" and seen.feedback == ""
    assert text_in_front(seen) == "A+\none two" and seen.clipboard == "A+"
    assert "has no 'locateOnScreen'" in ran(environment, "pyautogui.locateOnScreen('x.png')").printed


@pytest.mark.parametrize(
    ("code", "printed"),
    [
        ("1/0", "<code>\", line 1, in <module>\n    1/0\n     ~^~\nZeroDivisionError: division by zero\n"),
        ("computer.mouse.move_id(id=99999)", "there is no element with the id 99999"),
        ("computer.fly(1)", "there is no action 'computer.fly'; there are move_id,"),
        ("computer.keyboard.press(key=object())", "press takes texts and numbers"),
        ("pyautogui.press('no key')", "is no key; write for example"),
        ("import sys; sys.exit('goodbye')", "goodbye\n"),
        ("x = '\\ud800'; print(x)", "surrogates not allowed"),
        ("def again(): again()\nagain()", "RecursionError"),
        ("bytearray(9 * 10**9)", "MemoryError"),
        ("import os; os._exit(3)", ""),
    ],
)  # fmt: skip
def test_an_error_is_told_with_the_line_and_nothing_of_the_program(environment: Environment, code: str, printed: str) -> None:
    seen = ran(environment, code)
    assert printed in seen.printed and "machines/guest" not in seen.printed
    assert seen.feedback.startswith("the code did not run to its end: it ended with status ")


def test_what_is_refused_can_be_caught_and_the_code_goes_on(environment: Environment) -> None:
    seen = ran(environment, "try:\n    pyautogui.press('no key')\nexcept Exception as error:\n    print('caught', error)\nprint('on')")
    assert seen.printed.startswith("caught press: ") and seen.printed.endswith("\non\n") and not seen.feedback


def test_a_huge_print_is_told_by_its_ends(environment: Environment) -> None:
    seen = ran(environment, "print('begin ' + 'x' * 10**7 + ' end')")
    assert seen.printed.startswith("begin xxx") and seen.printed.endswith("xxx end\n") and len(seen.printed) < 4100
    assert "9,996,0" in seen.printed and "characters left out" in seen.printed and not seen.feedback


def test_programs_that_it_starts_stay_and_its_forks_do_not(environment: Environment) -> None:
    forks = "import os, subprocess, time\nsubprocess.Popen(['galculator'])\nif os.fork():\n    time.sleep(0.5)\nelse:\n    time.sleep(600)"
    ran(environment, forks)
    running = environment.desktop.client.execute(["ps", "-e", "-o", "args="])["output"]
    assert "galculator" in running and "guest.code.child" not in running
    environment.desktop.client.execute(["pkill", "galculator"])


def test_threads_may_call_too(environment: Environment) -> None:
    seen = ran(environment, "import threading\nall = [threading.Thread(target=pyautogui.press, args=('end',)) for _ in range(4)]\n"
               "[one.start() for one in all]; [one.join() for one in all]; print('done')")  # fmt: skip
    assert (seen.printed, seen.feedback) == ("done\n", "")


@pytest.mark.slow(minutes=1)
@pytest.mark.rotates
@pytest.mark.parametrize(
    "code", ["print('begun')\nwhile True: pass", "print('begun')\nwhile True: pyautogui.press('end')"], ids=["alone", "with calls"]
)
def test_an_endless_loop_is_ended(environment: Environment, code: str) -> None:
    seen = ran(environment, code)
    assert (seen.printed, seen.feedback) == ("begun\n", "the code did not run to its end: it was ended after 20 s")
    assert ran(environment, "print('well')").printed == "well\n"


@pytest.mark.slow(minutes=1)
@pytest.mark.rotates
@pytest.mark.parametrize("code", ["import os\nwhile True: os.fork()", "import os; os.system('bash -c \"f() { f | f & }; f\"')"])
def test_a_bomb_is_no_fault_of_the_machine(image: Image, code: str) -> None:
    goes_on_after(image, code)


@pytest.mark.slow
def test_killing_all_is_no_fault_of_the_machine(image: Image) -> None:
    goes_on_after(image, "import os; os.kill(-1, 9)")


def goes_on_after(image: Image, code: str) -> None:
    with Environment(Sandbox(image), sees=()) as environment:
        environment.reset(tasks_of("smoke")[0])
        ran(environment, code)
        assert ran(environment, "print('well')").printed == "well\n"
