"""Python packages of an image, for programs that Debian lacks: pip of this host puts their wheels into the root file system.

They lie in a folder of their own, so that they never take the place of Debian's modules: the command of a program names the folder.
"""

import re
import subprocess
import sys
from collections.abc import Sequence
from email.parser import HeaderParser
from pathlib import Path

from machines.errors import MachineError

FOLDER = Path("usr/lib/python-programs")  # within the root file system; a sandbox hides /opt
_PYTHON = {"bookworm": "3.11", "trixie": "3.13"}  # the release's own
_MACHINES = {"amd64": "x86_64", "arm64": "aarch64"}
_WHEELS = "manylinux2014_"
_DASHES = re.compile(r"[-_.]+")


def install(packages: Sequence[str], root: Path, debian: str, architecture: str, is_whole: bool) -> None:
    """Install packages, each as `name==version`, and unless the list `is_whole` what they depend on; `MachineError` with what pip said."""
    if not packages:
        return
    command = [
        sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile", "--only-binary", ":all:",
        "--implementation", "cp", "--python-version", _PYTHON[debian], "--platform", f"{_WHEELS}{_MACHINES[architecture]}",
        "--target", str(root / FOLDER), *(["--no-deps"] if is_whole else []), *packages,
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise MachineError(f"pip failed with {done.returncode}:\n{done.stderr[-3000:]}")


def installed(root: Path) -> list[str]:
    """Return `name==version` of every Python package in the folder of a root file system."""
    found = []
    for path in (root / FOLDER).glob("*.dist-info/METADATA"):
        head = HeaderParser().parsestr(path.read_text(errors="replace"), headersonly=True)
        found.append(f"{_DASHES.sub('-', head['Name']).lower()}=={head['Version']}")
    return found
