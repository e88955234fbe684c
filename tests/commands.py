"""The command line as a user has it, and the commands that the documentation shows, for tests that run them."""

import re
import subprocess
import sys
from pathlib import Path

from tests.conftest import REPOSITORY

_BASH_BLOCK = re.compile(r"```bash\n(.*?)```", re.DOTALL)
OF_EPISODES = ("machine", "episodes", "prove", "suite")  # commands that need the image of a machine


def deskmill(*arguments: str, data: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(REPOSITORY / "deskmill.py"), *arguments]
    return subprocess.run(
        command,
        cwd=REPOSITORY,
        env={"PATH": "/usr/bin:/bin", "DESKMILL_DATA": str(data), "HF_HUB_OFFLINE": "1"},
        capture_output=True,
        text=True,
        check=False,
    )


def documented_commands() -> list[str]:
    """Every line of the Bash blocks of README, CONTRIBUTING and docs/, in their order. A block marked `sh` needs a server or hours: it is not run."""
    pages = [REPOSITORY / "README.md", REPOSITORY / "CONTRIBUTING.md", *sorted((REPOSITORY / "docs").glob("*.md"))]
    blocks = [block for page in pages for block in _BASH_BLOCK.findall(page.read_text())]
    lines = [line for block in blocks for line in block.splitlines() if line and not line.startswith("#")]
    return list(dict.fromkeys(lines))


def documented_arguments() -> list[list[str]]:
    """What the documented commands hand to `deskmill`; `demo` is replaced by `tiny`, so that it takes seconds."""
    lines = [line.partition("  #")[0] for line in documented_commands() if line.startswith(("deskmill ", ".venv/bin/deskmill "))]
    split = [[argument.strip('"') for argument in re.findall(r'"[^"]*"|\S+', line)[1:]] for line in lines]
    return [[re.sub(r"\bdemo\b", "tiny", argument) for argument in arguments] for arguments in split]
