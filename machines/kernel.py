"""The kernel of virtual machines: fetched as a Debian package, unpacked beside the host's own system, and given an initial memory file system.

Two more packages come with it: a shell for the first process, and bubblewrap for the sandbox inside the machine.
"""

import lzma
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from machines.errors import MachineError
from machines.packages import registry, run

_META = "linux-image-cloud-amd64"
_TOOLS = ("busybox-static", "bubblewrap")
_MODULES = ("virtio_pci", "virtio_blk", "virtio_net", "virtio_console", "ext4")
_DEPENDS = re.compile(rb"\0depends=([^\0]*)\0")
_INIT = Path(__file__).parent / "vm" / "init.sh"
_FOLDER, _PROGRAM, _FILE = 0o40755, 0o100755, 0o100644


@dataclass(frozen=True)
class Kernel:
    """The unpacked packages, and each as `name=version`."""

    folder: Path
    packages: list[str]

    @property
    def image(self) -> Path:
        """Return the kernel's file."""
        return _only(self.folder, "boot/vmlinuz-*")

    @property
    def bubblewrap(self) -> Path:
        """Return the program that makes sandboxes."""
        return _only(self.folder, "usr/bin/bwrap")

    def initrd(self) -> bytes:
        """Return the initial memory file system: the shell, `init.sh`, and the modules in the order in which they are loaded."""
        modules = {f"modules/{_stem(path)}.ko": _content(path) for path in _in_order(_only(self.folder, "lib/modules/*"))}
        order = "\n".join(name.removeprefix("modules/") for name in modules)
        files = {
            "bin": (_FOLDER, b""),
            "modules": (_FOLDER, b""),
            "bin/busybox": (_PROGRAM, _only(self.folder, "bin/busybox").read_bytes()),
            "init": (_PROGRAM, _INIT.read_bytes()),
            "modules/order": (_FILE, order.encode()),
            **{name: (_FILE, content) for name, content in modules.items()},
        }
        return packed(files)


def fetched(sources: Path, folder: Path) -> Kernel:
    """Fetch the newest kernel of the registry and the tools, and unpack them into a folder; `MachineError` if that fails."""
    folder.mkdir(parents=True)
    with registry(sources) as options:
        depends = run(["apt-cache", *options, "depends", _META])
        names = re.findall(r"Depends: (linux-image-\S+)", depends)
        if not names:
            raise MachineError(f"the registry in {sources} has no kernel for virtual machines: {_META} depends on {depends.strip() or 'nothing'}")
        run(["apt-get", *options, "download", names[0], *_TOOLS], folder)
    packages = []
    for package in sorted(folder.glob("*.deb")):
        packages.append(run(["dpkg-deb", "--show", "--showformat", "${Package}=${Version}", str(package)]))
        run(["dpkg-deb", "--extract", str(package), str(folder)])
        package.unlink()
    return Kernel(folder, packages)


def _only(folder: Path, pattern: str) -> Path:
    """Return the file that matches; `MachineError` if there is none or more than one."""
    found = list(folder.glob(pattern))
    if len(found) != 1:
        raise MachineError(f"the packages of the kernel hold {len(found)} files {pattern}, not one")
    return found[0]


def _in_order(folder: Path) -> Iterator[Path]:
    """Yield the modules that a machine needs, each after those that it depends on."""
    files = {_stem(path): path for path in folder.rglob("*.ko*")}
    built_in = {_stem(Path(line)) for line in (folder / "modules.builtin").read_text().split()}
    seen: set[str] = set()

    def with_what_it_needs(name: str) -> Iterator[Path]:
        if name in seen or name in built_in:
            return
        seen.add(name)
        if name not in files:
            raise MachineError(f"the kernel in {folder.name} has no module {name}, which a virtual machine needs")
        found = _DEPENDS.search(_content(files[name]))
        for other in found[1].decode().split(",") if found and found[1] else ():
            yield from with_what_it_needs(other.replace("-", "_"))
        yield files[name]

    for module in _MODULES:
        yield from with_what_it_needs(module)


def _stem(path: Path) -> str:
    return path.name.partition(".ko")[0].replace("-", "_")


def _content(path: Path) -> bytes:
    """Return a module, unpacked if the package holds it packed."""
    return lzma.decompress(path.read_bytes()) if path.suffix == ".xz" else path.read_bytes()


def packed(files: Mapping[str, tuple[int, bytes]]) -> bytes:
    """Return a cpio archive (`newc`, as kernels read it) of files, each with its mode and content."""
    out = bytearray()
    for number, (name, (mode, content)) in enumerate([*files.items(), ("TRAILER!!!", (0, b""))], 1):
        fields = (number, mode, 0, 0, 1, 0, len(content), 0, 0, 0, 0, len(name) + 1, 0)
        out += f"070701{''.join(f'{field:08X}' for field in fields)}{name}\0".encode()
        out += b"\0" * (-len(out) % 4) + content
        out += b"\0" * (-len(out) % 4)
    return bytes(out)
