"""A small registry, with `reg.exe` as far as checks, makers and oracles use it; names of keys and values are compared without case."""

from collections.abc import Sequence

_ROOTS = {"hkcu:": "hkcu", "hkey_current_user": "hkcu"}
_MISSING = "ERROR: The system was unable to find the specified registry key or value.\r\n"


class Registry:
    """Values by key and name, each with its kind and its data."""

    def __init__(self) -> None:
        self._values: dict[tuple[str, str], tuple[str, str, str]] = {}

    def set(self, key: str, name: str, data: str | int, kind: str | None = None) -> None:
        """Set a value; without a kind its old one stays, or it is a number or a text."""
        old = self._values.get(_place(key, name))
        self._values[_place(key, name)] = (name, kind or (old[1] if old else "REG_DWORD" if isinstance(data, int) else "REG_SZ"), str(data))

    def run(self, words: Sequence[str]) -> tuple[str, str, int]:
        """Do what `reg.exe` does with these words, and return its output, its error and its return code."""
        verb, key, rest = words[0].lower(), words[1], list(words[2:])
        given = {rest[number].lower(): rest[number + 1] for number in range(len(rest) - 1) if rest[number].startswith("/")}
        place = _place(key, given["/v"])
        if verb == "add":
            self.set(key, given["/v"], given["/d"], given.get("/t", "REG_SZ"))
            return "The operation completed successfully.\r\n", "", 0
        if place not in self._values:
            return "", _MISSING, 1
        if verb == "delete":
            del self._values[place]
            return "The operation completed successfully.\r\n", "", 0
        name, kind, data = self._values[place]
        shown = hex(int(data)) if kind == "REG_DWORD" else data
        return f"\r\n{key}\r\n    {name}    {kind}    {shown}\r\n\r\n", "", 0


def _place(key: str, name: str) -> tuple[str, str]:
    root, _, rest = key.replace("/", "\\").lower().partition("\\")
    return f"{_ROOTS.get(root, root)}\\{rest}", name.lower()
