"""Making images: mmdebstrap makes a root file system, and a sandbox on it makes the profiles that a home folder begins with.

Nothing is installed on the host. A root is made in a folder aside and moved to its place when it is complete; only then do new runs use it.
Several builds of an image are kept side by side: runs on an older build stay comparable among themselves.
"""

import fcntl
import io
import os
import shlex
import shutil
import subprocess
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from machines import host, python_packages
from machines.errors import MachineError, MachineNeeds
from machines.image import Image, declared, find_image
from machines.packages import KEPT, PackageList, architecture, check_registry, hash_of, packages_of
from machines.sandbox import Sandbox, check_host
from machines.sources import apt_sources

_NOT_NEEDED = ("/usr/share/man/*", "/usr/share/doc/*", "/usr/share/locale/*", "/usr/share/help/*", "/usr/share/info/*")
_FASTER = Path("/usr/share/mmdebstrap/hooks/eatmydata")  # does not wait for the disk at each write
_MANUALS = "/usr/share/man/man1"  # Java is not installed where this folder is missing
_PINS = "/etc/apt/preferences.d/deskmill"  # in the new root, while it is made
Say = Callable[[str], None]


def build_image(name: str, machines: Path, say: Say, again: bool = False, wanted: PackageList | None = None, source: str | None = None) -> Image:
    """Make the missing parts of the image, and use it from now on.

    `again` makes it with the newest versions of the registry, `wanted` with the versions of a list. `source` is the address of a Debian mirror or a
    file of apt sources; None stands for the host's own. `MachineNeeds` if the host, the list or the registry lacks something. Only one build runs at
    a time: a second call waits for the first and finds the image made.
    """
    image = find_image(name, machines)
    if image.is_built and not again and wanted is None:
        return image
    _check_tools()
    makes_root = image.identity is None or again or wanted is not None
    with apt_sources(declared().debian, source) if makes_root else nullcontext() as sources:
        if sources is not None and wanted is not None:
            _check_list(image, wanted, sources)
        machines.mkdir(parents=True, exist_ok=True)
        with locked(machines / ".lock"):
            image = find_image(name, machines)
            if sources is not None and (image.identity is None or again or wanted is not None):
                image = replace(image, identity=_earlier(image, again, wanted) or _made_root(image, wanted, sources, say))
            if not image.home.is_dir():
                say("making profiles")
                _make_home(image)
            use(image)
    return image


def _check_tools() -> None:
    if missing := host.lacking(["mmdebstrap"]):
        raise MachineNeeds(f"a machine is made with {missing}")
    check_host()
    if os.geteuid() != 0 and (missing := host.lacking(["newuidmap"])):
        raise MachineNeeds(f"without root, mmdebstrap needs a range of numbers in /etc/subuid and /etc/subgid, and {missing}")


def _check_list(image: Image, wanted: PackageList, sources: Path) -> None:
    """Raise `MachineNeeds` if no image of that name can be made from the list on this host."""
    here = {"image": image.name, "debian": declared().debian, "architecture": architecture()}
    for what, name in here.items():
        if getattr(wanted, what) != name:
            raise MachineNeeds(f"the list is for {what} {getattr(wanted, what)}, but this image is for {what} {name}")
    if lacking := sorted({*image.packages, *image.python_packages} - {*wanted.names, *wanted.of_python}):
        raise MachineNeeds(f"the list lacks {', '.join(lacking)}, which machines/desktop.yaml declares for the image '{image.name}'")
    if not _root(image, wanted.identity(image.way)).is_dir():
        check_registry(wanted, sources)


def _earlier(image: Image, again: bool, wanted: PackageList | None) -> str | None:
    """Return the identity of an existing root that fits the request.

    Older versions named roots by their declaration and kept no list in them: such a root gets its list and its name.
    """
    if wanted is not None:
        return identity if _root(image, identity := wanted.identity(image.way)).is_dir() else None
    unlisted = _root(image, hash_of({"version": 1, "debian": declared().debian, "packages": image.packages}))
    if again or not unlisted.is_dir():
        return None
    identity = _listed(image, unlisted)
    unlisted.rename(_root(image, identity))
    return identity


def _made_root(image: Image, wanted: PackageList | None, sources: Path, say: Say) -> str:
    """Make a root in a folder aside, move it to its place, and return its identity. Remove the leftovers of a killed build first."""
    making = _root(image, f".{image.name}.making")
    for left in making.parent.glob(f"{making.name}*"):
        shutil.rmtree(left)
    making.mkdir(parents=True)
    try:
        _make_root(image, making, wanted, sources, say)
        if wanted is not None and (other := {*wanted.packages} ^ {*packages_of(making)}):
            raise MachineError(f"the image that was made differs from the list, and was thrown away: {', '.join(sorted(other))}")
        identity = _listed(image, making)
        if _root(image, identity).is_dir():
            say("a build with these versions exists already")
        else:
            making.rename(_root(image, identity))
    finally:
        shutil.rmtree(making, ignore_errors=True)
    return identity


def _root(image: Image, identity: str) -> Path:
    return image.machines / "roots" / identity


def _listed(image: Image, root: Path) -> str:
    """Write the list of its packages into a root, and return its identity."""
    built = datetime.now(UTC).isoformat(timespec="seconds")
    held = PackageList(image.name, declared().debian, architecture(), built, packages_of(root))
    temporary = root / f"{KEPT}.tmp"
    temporary.write_text(str(held))
    temporary.replace(root / KEPT)
    return held.identity(image.way)


def _make_root(image: Image, folder: Path, wanted: PackageList | None, sources: Path, say: Say) -> None:
    """Unpack a tar from mmdebstrap: everything belongs to the user who builds, and the sandbox mounts it read-only."""
    say(f"fetching and unpacking {len(image.packages)} Debian packages and their dependencies; this takes some minutes, once")
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix=f"{folder.name}.") as aside:
        tar, pins = Path(aside) / "root.tar", Path(aside) / "pins"
        pins.write_text("".join(_pin(package) for package in wanted.of_debian) if wanted else "")
        command = _mmdebstrap(image, wanted.names if wanted else image.packages, pins, tar, sources)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise MachineError(f"mmdebstrap failed with {done.returncode}:\n{done.stderr[-3000:]}")
        unpack = [
            "tar",
            "--extract",
            "--preserve-permissions",
            "--no-same-owner",
            "--exclude",
            "./dev/*",
            "--file",
            str(tar),
            "--directory",
            str(folder),
        ]
        subprocess.run(unpack, check=True)
    if image.root_files is not None:
        shutil.copytree(image.root_files, folder, dirs_exist_ok=True)
    for module in image.modules:
        shutil.copy(module, folder / "usr/lib/python3/dist-packages")
    _cache_fonts(folder)
    python = wanted.of_python if wanted else image.python_packages
    python_packages.install(python, folder, declared().debian, architecture(), is_whole=wanted is not None)


def _cache_fonts(root: Path) -> None:
    """Write the caches of fonts anew: the times of a tar are whole seconds, so those of packages count as old, and each desktop read all fonts."""
    if not (root / "usr/bin/fc-cache").exists():  # its packages have no fonts
        return
    command = ["bwrap", "--unshare-user", "--uid", "0", "--gid", "0", "--bind", str(root), "/", "--dev", "/dev", "/usr/bin/fc-cache", "-sf"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise MachineError(f"the caches of fonts in {root} cannot be written:\n{done.stderr[-3000:]}")


def _pin(package: str) -> str:
    name, version = package.split("=", 1)
    return f"Package: {name}\nPin: version {version}\nPin-Priority: 1001\n\n"


def _mmdebstrap(image: Image, packages: list[str], pins: Path, tar: Path, sources: Path) -> list[str]:
    options = [word for pattern in _NOT_NEEDED for word in ("--dpkgopt", f"path-exclude={pattern}")]
    hooks = [f"--hook-dir={_FASTER}"] if _FASTER.is_dir() and shutil.which("eatmydata") else []
    removal = [f'--customize-hook=cd "$1" && rm -rf {" ".join(image.leaves_out)}'] if image.leaves_out else []
    make_user = f'chroot "$1" useradd --uid 1000 --home-dir {image.user_home} --shell /bin/bash {image.user}'
    return [
        "mmdebstrap", f"--mode={'root' if os.geteuid() == 0 else 'unshare'}", "--variant=minbase", *options, *hooks,
        f'--essential-hook=mkdir -p "$1{_MANUALS}"', f'--customize-hook=rmdir --ignore-fail-on-non-empty "$1{_MANUALS}"',
        '--aptopt=Apt::Install-Recommends "false"', f"--setup-hook=upload {shlex.quote(str(pins))} {_PINS}",
        "--include", ",".join(packages), f"--customize-hook={make_user}",
        '--customize-hook=echo 0123456789abcdef0123456789abcdef > "$1/etc/machine-id"', f'--customize-hook=mkdir -p "$1{image.user_home}" "$1/opt"',
        f'--customize-hook=rm "$1{_PINS}"', *removal, declared().debian, str(tar), str(sources),
    ]  # fmt: skip


def _make_home(image: Image) -> None:
    """Copy the declared home folder, add what programs write there at their first start, and move the whole to its place."""
    making = image.home.with_name(f".{image.home.name}.making")
    shutil.rmtree(making, ignore_errors=True)
    for folder in image.home_sources:
        shutil.copytree(folder, making, dirs_exist_ok=True)
    subprocess.run(["chmod", "-R", "a+rX", str(making)], check=True)
    if image.warm_up:
        with tarfile.open(fileobj=io.BytesIO(_profiles(image, making))) as tar:
            tar.extractall(making, filter="data")
        subprocess.run(["chmod", "-R", "a+rX", str(making)], check=True)
    making.rename(image.home)


def _profiles(image: Image, home: Path) -> bytes:
    """Return a tar of the home folder after the programs of `warm_up` ran in a sandbox that begins with `home`."""
    unfinished = replace(image)
    unfinished.__dict__["home"] = home
    with Sandbox(unfinished) as machine:
        for command in image.warm_up:
            machine.client.execute(command)
        machine.client.execute(["tar", "--create", "--file", "/tmp/home.tar", "--directory", image.user_home, "."])
        packed = machine.client.file("/tmp/home.tar")
    if packed is None:
        raise MachineError("the home folder of the new image could not be fetched")
    return packed


def use(image: Image) -> None:
    """Let new runs use this root, by an atomic change of a link."""
    image.current.parent.mkdir(exist_ok=True)
    aside = image.current.with_name(f".{image.current.name}.tmp")
    aside.unlink(missing_ok=True)
    aside.symlink_to(Path("..") / "roots" / image.root.name)
    aside.replace(image.current)


@contextmanager
def locked(path: Path) -> Iterator[None]:
    """Hold a lock; wait for whoever holds it."""
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
