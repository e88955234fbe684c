"""Scripts in the language of the machine's own shell: bash on Linux, and Windows PowerShell, which every Windows has, on Windows."""

import base64
import shlex
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from eval_flows.episodes.environment.desktop import Desktop

WINDOWS = "windows"
_POWERSHELL = ["powershell.exe", "-NoProfile", "-NonInteractive", "-ExecutionPolicy", "Bypass", "-EncodedCommand"]
_BEGINS = "$ErrorActionPreference = 'Stop'; $ProgressPreference = 'SilentlyContinue'"
_ENDS = "if ($LASTEXITCODE) { exit $LASTEXITCODE }"  # a program that fails is no error of PowerShell


def script_command(desktop: "Desktop", script: str) -> list[str]:
    """Return the command that runs a script in the home folder. Its return code is not 0 if anything in it fails."""
    home = desktop.offers.home
    if desktop.offers.platform == WINDOWS:
        return powershell(f"{_BEGINS}\nSet-Location -LiteralPath {quoted(home)}\n{script}\n{_ENDS}")
    return ["bash", "-euc", f"cd {shlex.quote(home)}\n{script}"]


def powershell(script: str) -> list[str]:
    """Return the command that runs a script of PowerShell; encoded, since a command line would need its quotes in another way."""
    return [*_POWERSHELL, base64.b64encode(script.encode("utf-16-le")).decode()]


def quoted(text: str) -> str:
    """Return a text as PowerShell writes it, with nothing in it replaced."""
    return "'" + text.replace("'", "''") + "'"


def remove(desktop: "Desktop", path: str) -> None:
    """Delete a file, if it is there."""
    place = desktop.place(path)
    if desktop.offers.platform == WINDOWS:
        desktop.client.execute(powershell(f"Remove-Item -Force -ErrorAction SilentlyContinue -LiteralPath {quoted(place)}"))
    else:
        desktop.client.execute(["rm", "--force", place])
