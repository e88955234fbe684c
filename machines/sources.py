"""The source of Debian packages that images are made from: what the user gives, or else the host's own sources if they are of the right release."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from machines import host
from machines.errors import MachineNeeds

_OWN = (Path("/etc/apt/sources.list.d/debian.sources"), Path("/etc/apt/sources.list"))
_KEYRING = Path("/usr/share/keyrings/debian-archive-keyring.gpg")
_KEYRING_PACKAGES = ("debian-archive-keyring", "debian-keyring")  # on Debian and Ubuntu, on Fedora


@contextmanager
def apt_sources(release: str, given: str | None) -> Iterator[Path]:
    """Yield a file of apt sources for a Debian release: `given` is the address of a mirror, or such a file; None stands for the host's own.

    `MachineNeeds` if there is none. The release and its updates are taken from a mirror; who wants more gives a file.
    """
    if given is None:
        yield _own(release)
    elif "://" in given:
        if not _KEYRING.is_file():
            raise MachineNeeds(f"{_KEYRING} is missing, which the packages of Debian are checked with: {host.installing([_KEYRING_PACKAGES])}")
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "debian.list"
            file.write_text("".join(f"deb [signed-by={_KEYRING}] {given} {suite} main\n" for suite in (release, f"{release}-updates")))
            yield file
    elif Path(given).is_file():
        yield Path(given).absolute()
    else:
        raise MachineNeeds(f"--source takes the address of a Debian mirror, or a file of apt sources; {given!r} is neither")


def _own(release: str) -> Path:
    found = next((path for path in _OWN if path.is_file()), None)
    here = host.release()
    if found is None or here.get("ID") != "debian" or here.get("VERSION_CODENAME") != release:
        raise MachineNeeds(
            f"images are made from packages of Debian {release}, and this host ({host.name()}) has no sources of that release: "
            "add --source with the address of a Debian mirror, or with a file of apt sources"
        )
    return found
