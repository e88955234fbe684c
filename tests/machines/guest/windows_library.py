"""A library of Windows as tests see it: functions that keep their calls and answer what a test wants."""

from typing import Any


class Function:
    """A function of a library: keeps the calls, and answers what the test wants."""

    def __init__(self, answer: Any = 1) -> None:
        self.answer = answer
        self.calls: list[tuple[Any, ...]] = []

    def __call__(self, *arguments: Any) -> Any:
        self.calls.append(arguments)
        return self.answer(*arguments) if callable(self.answer) else self.answer


class Library:
    """A library in which every function answers 1, but for those that the test gives."""

    def __init__(self, **answers: Any) -> None:
        self.functions = {name: Function(answer) for name, answer in answers.items()}

    def __getattr__(self, name: str) -> Function:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.functions.setdefault(name, Function())
