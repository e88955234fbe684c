"""Serving a mirror within a machine: its files and a server go there, and the browser is told by flags where its hosts are. No network is asked.

The image `osworld` gives Chromium the flags in a file, whoever starts it. In an image whose Chromium does not read that file, the steps of a task
give them to the browser that they start.
"""

import json
import re
import shlex
import zipfile
from collections.abc import Iterable, Sequence
from io import BytesIO
from pathlib import Path

from eval_flows.episodes.environment.desktop import Desktop
from eval_flows.episodes.osworld.applications import commands_in, is_for_shell, starts_browser
from eval_flows.episodes.osworld.in_guest import mirror
from eval_flows.episodes.osworld.mirror.certificate import made_certificate
from machines.errors import MachineError

FOLDER = "/run/user/1000/mirror"  # in the machine, and in no home folder
FLAGS = f"{FOLDER}/chromium-flags"  # a flag a line; machines/root_of/osworld/etc/chromium.d/osworld reads it
PORTS = (47080, 47443)  # of http and https: no program of a task listens there
_READS_FLAGS = f"grep --quiet --no-messages --fixed-strings {FLAGS} /etc/chromium.d/*"
_BETWEEN = re.compile(r"(&&|\|\||[;&|\n])")  # the commands of a shell, and what separates them
_PROFILE = ".config/chromium"  # where Chromium keeps it by itself; it hears of a key only if this is said


def serve(desktop: Desktop, archive: bytes) -> list[str]:
    """Serve the mirror of a zip file in a machine, and return the flags that the steps of a task have to give to its browser; none where it has them.

    `MachineError` if the server does not start.
    """
    client = desktop.client
    with zipfile.ZipFile(BytesIO(archive)) as packed:
        hosts = mirror.pages_of(packed).hosts
    certificate = made_certificate(hosts)
    flags = flags_of(hosts, certificate.key_hash)
    server = Path(mirror.__file__).read_bytes()
    for name, content in (("mirror.zip", archive), ("mirror.pem", certificate.pem.encode()), ("mirror.py", server)):
        client.upload(f"{FOLDER}/{name}", content)
    said = client.execute(["python3", f"{FOLDER}/mirror.py", json.dumps({"folder": FOLDER, "ports": PORTS})])
    if said.get("returncode") != 0:
        raise MachineError(f"the mirror of sites could not be served: {str(said.get('error'))[-300:]}")
    client.upload(FLAGS, "".join(f"{flag}\n" for flag in flags).encode())
    if client.execute(_READS_FLAGS, shell=True).get("returncode") == 0:
        return []
    return [*flags, f"--user-data-dir={desktop.place(_PROFILE)}"]


def flags_of(hosts: Iterable[str], key_hash: str) -> list[str]:
    """Return the flags by which Chromium finds these hosts at the server, and takes its certificate without a warning."""
    rules = [f"MAP {host}:{port} 127.0.0.1:{here}" for host in sorted(hosts) for port, here in zip((80, 443), PORTS, strict=True)]
    return [f"--host-resolver-rules={','.join(rules)}", f"--ignore-certificate-errors-spki-list={key_hash}"]


def with_flags(command: Sequence[str] | str, shell: bool, flags: Sequence[str]) -> Sequence[str] | str:
    """Return a command of a task with flags for the browser that it starts; the same without flags, or if it starts none."""
    if not flags:
        return command
    if isinstance(command, str):
        return _in_text(command, flags)
    if shell:
        return _in_text(" ".join(command), flags)
    if is_for_shell(command):
        return [*command[:-1], _in_text(command[-1], flags)]
    for words in commands_in(command):
        if starts_browser(words):
            behind = len(command) - len(words) + 1
            return [*command[:behind], *flags, *command[behind:]]
    return command


def _in_text(text: str, flags: Sequence[str]) -> str:
    """Return the text of a shell with flags behind each command that starts a browser."""
    parts = _BETWEEN.split(text)
    for number, part in enumerate(parts):
        for words in commands_in(part):
            if starts_browser(words):
                name = re.escape(words[0])
                parts[number] = re.sub(rf"(?<!\S){name}(?!\S)", lambda found: " ".join([found[0], *map(shlex.quote, flags)]), part, count=1)
    return "".join(parts)
