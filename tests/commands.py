"""The command line as a user has it, and the commands that the documentation shows, for tests that run them."""

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner, Result

from deskmill import main
from tests.conftest import REPOSITORY

_BASH_BLOCK = re.compile(r"```bash\n(.*?)```", re.DOTALL)
OF_EPISODES = ("machine", "episodes", "prove", "suite", "sweep", "rollouts")  # commands that need the image of a machine


# The folder of caches, for an environment that has nothing else of ours: what is read of the catalog is kept there for the next command.
CACHES = {name: os.environ[name] for name in ("HOME", "XDG_CACHE_HOME") if name in os.environ}


def deskmill(*arguments: str, data: Path, cwd: Path = REPOSITORY) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(REPOSITORY / "deskmill.py"), *arguments]
    return subprocess.run(
        command,
        cwd=cwd,
        env={"PATH": "/usr/bin:/bin", "DESKMILL_DATA": str(data), "HF_HUB_OFFLINE": "1", **CACHES},
        capture_output=True,
        text=True,
        check=False,
    )


def invoked(*arguments: str, data: Path) -> Result:
    """Run a command within this process: its imports and the catalog are there already. For tests whose point is not the process."""
    return CliRunner().invoke(main, arguments, env={"DESKMILL_DATA": str(data)})


def free_port() -> int:
    """A port of this host that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


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
    return [[re.sub(r"\bdemo\b", "tiny", argument) if arguments[0] != "sweep" else argument for argument in arguments] for arguments in split]
