"""Protects the host, other machines and the reward from an agent that means harm: what it does stays in its sandbox, and earns nothing."""

import os
import shutil
import time
from pathlib import Path

import pytest

from machines.bubblewrap import refuses_nested
from machines.image import Image
from machines.sandbox import Sandbox


def still_works(machine: Sandbox) -> bool:
    """The server answers, and the desktop opens a program, within half a minute."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        try:
            machine.client.act({"name": "open_program", "program": "galculator"})
            for _ in range(60):
                if any(window.window_class == "Galculator" for window in machine.client.observe(["windows"]).windows or ()):
                    return True
                time.sleep(0.1)
        except Exception:
            time.sleep(0.2)
    return False


def run(machine: Sandbox, script: str) -> str:
    """What a script says that the agent's user runs."""
    done = machine.client.execute(["sh", "-c", script])
    return str(done["output"]) + str(done["error"])


def test_killing_every_process_ends_neither_the_server_nor_the_desktop_for_good(image: Image) -> None:
    with Sandbox(image) as machine:
        starts = machine.client.state()["starts"]
        machine.client.launch(["sh", "-c", "kill -9 -1"])
        end = time.monotonic() + 20
        while True:
            try:
                if machine.client.state()["starts"] > starts:
                    break
            except Exception:
                assert time.monotonic() < end
            assert time.monotonic() < end
            time.sleep(0.1)
        assert still_works(machine)
        assert "Operation not permitted" in run(machine, "kill -9 1") or machine.client.state()


def test_a_fork_bomb_leaves_the_server_room(image: Image) -> None:
    with Sandbox(image) as bombed, Sandbox(image) as neighbour:
        bombed.client.launch(["bash", "-c", "f() { f | f & }; f"])
        time.sleep(1.0)  # the bomb needs a moment to go off; what is tested is that answers come all the while
        assert bombed.client.observe(["screenshot"]).screenshot
        assert still_works(neighbour)
        bombed.reset()
        assert still_works(bombed)


def test_a_full_disk_is_its_own(machine: Sandbox) -> None:
    free = shutil.disk_usage("/").free
    assert "No space left" in run(machine, "dd if=/dev/zero of=/home/agent/big bs=1M count=500; dd if=/dev/zero of=/tmp/big bs=1M count=500")
    assert "No space left" in run(machine, "dd if=/dev/zero of=/dev/shm/big bs=1M count=500")
    assert shutil.disk_usage("/").free > free - 2**30
    run(machine, "rm -f /home/agent/big /tmp/big /dev/shm/big")
    assert machine.client.observe(["screenshot"]).screenshot


def test_memory_ends_who_takes_too_much(machine: Sandbox) -> None:
    said = run(machine, "python3 -c 'b = bytearray(3 * 10**9); print(\"got it\")'")
    assert "got it" not in said
    run(machine, "for i in 1 2 3 4 5 6; do python3 -c 'import time; b = bytearray(b\"x\") * 200_000_000; time.sleep(20)' & done; sleep 4")
    assert machine.client.state()["ended_for_memory"] >= 1
    run(machine, "pkill python3 || true")
    assert machine.client.observe(["windows"]).windows is not None


@pytest.mark.parametrize(
    "hoard",
    [
        "import os; files = [os.memfd_create('x') for _ in range(8)]; [os.write(one, bytes(10**8)) for one in files]",
        "import ctypes; libc = ctypes.CDLL(None); libc.shmat.restype = ctypes.c_void_p\n"
        "for _ in range(8):\n"
        "    place = ctypes.c_void_p(libc.shmat(libc.shmget(0, 10**8, 0o1600), None, 0)); ctypes.memset(place, 1, 10**8); libc.shmdt(place)",
    ],
    ids=["memory files", "shared segments"],
)
def test_memory_that_nobody_maps_counts_too(machine: Sandbox, hoard: str) -> None:
    """800 MB where 600 are allowed."""
    machine.client.launch(["python3", "-c", f"{hoard}\nimport time; time.sleep(30)"])
    end = time.monotonic() + 20
    while machine.client.state()["ended_for_memory"] == 0:
        assert time.monotonic() < end
        time.sleep(0.1)


def test_files_of_the_host_are_not_there(machine: Sandbox, tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("the host's")
    for place in (str(secret), str(Path(__file__)), "/proc/1/root" + str(secret), f"/proc/{os.getpid()}/environ"):
        assert "the host's" not in run(machine, f"cat {place}") and machine.client.execute(["cat", place])["returncode"] != 0
    processes = run(machine, "ls /proc | grep -c '^[0-9]'")
    assert int(processes) < 60
    assert "deskmill" not in run(machine, "ls / /mnt /root /srv 2>&1").replace("/opt/deskmill", "")


def test_there_is_no_network(machine: Sandbox) -> None:
    said = run(machine, "python3 -c 'import socket; socket.create_connection((\"192.0.2.1\", 80), 2)'")
    assert "unreachable" in said.lower()
    assert run(machine, "ls /sys/class/net 2>/dev/null; cat /proc/net/dev | tail -n +3 | cut -d: -f1").split() in ([], ["lo"])
    said = run(machine, "python3 -c 'import socket, glob; s = socket.socket(socket.AF_UNIX); s.connect(\"\\0deskmill\")'")
    assert "refused" in said.lower()


def test_the_guest_server_cannot_be_rewritten_or_read(machine: Sandbox) -> None:
    script = "echo broken >> /opt/deskmill/machines/guest/server.py; rm -rf /opt/deskmill; mv /opt /opt2; echo x > /usr/bin/x; cat /proc/1/environ; cat /proc/1/mem"
    assert "Read-only file system" in run(machine, script)
    assert "Permission denied" in run(machine, "cat /proc/1/environ")
    assert machine.client.observe(["screenshot"]).screenshot
    assert "server.py" in run(machine, "ls /opt/deskmill/machines/guest")


@pytest.mark.parametrize(
    "command",
    [
        "mkfifo wanted.txt", "ln -s /dev/zero wanted.txt", "ln -s /proc/kmsg wanted.txt", "ln -s wanted.txt wanted.txt", "mkdir wanted.txt",
        "touch wanted.txt; chmod 000 wanted.txt", "truncate --size 300M wanted.txt",
    ],
)  # fmt: skip
def test_what_cannot_be_read_as_a_file_counts_as_none_and_is_never_waited_for(machine: Sandbox, command: str) -> None:
    run(machine, f"cd /home/agent && rm -rf wanted.txt && {command}")
    assert machine.client.file("/home/agent/wanted.txt") is None
    assert machine.client.file("/home/agent/wanted.txt/inside") is None
    run(machine, "rm -rf /home/agent/wanted.txt")


@pytest.mark.skipif(not refuses_nested(), reason="this bubblewrap cannot refuse nested user namespaces")
@pytest.mark.parametrize("flags", ["--user", "--user --map-root-user", "--user --mount --net"])
def test_programs_make_no_user_namespaces(flags: str, machine: Sandbox) -> None:
    """In one of its own a program is root, and reaches parts of the kernel that only root reaches."""
    done = machine.client.execute(["unshare", *flags.split(), "true"])
    assert done["returncode"] != 0 and "unshare failed" in done["error"]
