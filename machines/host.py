"""The host that machines run on: its distribution, and the packages that bring the tools that machines need."""

import os
import shutil
from collections.abc import Iterable, Mapping
from pathlib import Path

_OS_RELEASE = Path("/etc/os-release")
# The package of each tool, on Debian and Ubuntu, and on Fedora.
_PACKAGES = {
    "apt-get": ("apt", "apt"),
    "bwrap": ("bubblewrap", "bubblewrap"),
    "dpkg-deb": ("dpkg", "dpkg"),
    "mke2fs": ("e2fsprogs", "e2fsprogs"),
    "mmdebstrap": ("mmdebstrap", "mmdebstrap"),
    "newuidmap": ("uidmap", "shadow-utils"),
    "prlimit": ("util-linux", "util-linux"),
    "qemu-system-x86_64": ("qemu-system-x86", "qemu-system-x86-core"),
    "setpriv": ("util-linux", "util-linux"),
    "unshare": ("util-linux", "util-linux"),
}


def release() -> Mapping[str, str]:
    """Return the content of /etc/os-release."""
    lines = _OS_RELEASE.read_text().splitlines() if _OS_RELEASE.is_file() else []
    return {name: value.strip("\"'") for name, _, value in (line.partition("=") for line in lines) if value}


def name() -> str:
    """Return the name of the host's distribution for people."""
    return release().get("PRETTY_NAME", "an unknown system")


def place(tool: str) -> str | None:
    """Return the path of a tool; None if it is not installed. Folders for the administrator count too: users often do not have them in PATH."""
    return shutil.which(tool, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")


def lacking(tools: Iterable[str]) -> str | None:
    """Return the tools that are not installed, and the command that installs them; None if all are there."""
    missing = [tool for tool in tools if place(tool) is None]
    return f"{', '.join(missing)}: {installing(_PACKAGES[tool] for tool in missing)}" if missing else None


def installing(packages: Iterable[tuple[str, str]]) -> str:
    """Return the command that installs packages, each given by its name on Debian and its name on Fedora."""
    on_fedora = "fedora" in (release().get("ID", ""), *release().get("ID_LIKE", "").split())
    return f"{'dnf' if on_fedora else 'apt-get'} install {' '.join(sorted({names[on_fedora] for names in packages}))}"
