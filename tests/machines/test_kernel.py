"""Protects the kernel of virtual machines: modules are loaded after those that they need, and the archive is one that kernels read."""

import lzma
from pathlib import Path

import pytest

import machines.kernel
from machines.errors import MachineError
from machines.kernel import Kernel, packed

NEEDS = {"virtio": "", "virtio-pci": "virtio", "virtio_blk": "virtio", "failover": "", "virtio_net": "failover,virtio", "virtio_console": "virtio"}


@pytest.fixture
def unpacked(tmp_path: Path) -> Kernel:
    """A package of a kernel whose modules hold only what they need; one is packed, and one is part of the kernel."""
    modules = tmp_path / "lib/modules/6.9-cloud"
    (modules / "kernel").mkdir(parents=True)
    for name, needs in NEEDS.items():
        content = b"ELF\0depends=" + needs.replace("_", "-").encode() + b"\0name=" + name.encode() + b"\0"
        file = modules / "kernel" / f"{name}.ko"
        file.write_bytes(content)
    whole = modules / "kernel" / "failover.ko"
    whole.with_name("failover.ko.xz").write_bytes(lzma.compress(whole.read_bytes()))
    whole.unlink()
    (modules / "modules.builtin").write_text("kernel/fs/ext4/ext4.ko\n")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/busybox").write_bytes(b"shell")
    return Kernel(tmp_path, ["linux-image-6.9-cloud=6.9-1"])


def files_in(archive: bytes) -> dict[str, bytes]:
    """Read a cpio archive as a kernel does."""
    found: dict[str, bytes] = {}
    at = 0
    while True:
        assert archive[at : at + 6] == b"070701"
        fields = [int(archive[at + 6 + 8 * number : at + 14 + 8 * number], 16) for number in range(13)]
        size, length = fields[6], fields[11]
        name = archive[at + 110 : at + 110 + length - 1].decode()
        start = at + 110 + length + -(at + 110 + length) % 4
        if name == "TRAILER!!!":
            return found
        found[name] = archive[start : start + size]
        at = start + size + -(start + size) % 4


def test_each_module_comes_after_those_that_it_needs(unpacked: Kernel) -> None:
    files = files_in(unpacked.initrd())
    order = [name.removesuffix(".ko") for name in files["modules/order"].decode().split("\n")]
    assert sorted(order) == sorted(name.replace("-", "_") for name in NEEDS), "ext4 is part of the kernel"
    for name, needs in NEEDS.items():
        for needed in filter(None, needs.split(",")):
            assert order.index(needed) < order.index(name.replace("-", "_"))
    assert files["modules/failover.ko"].endswith(b"name=failover\0") and files["bin/busybox"] == b"shell"
    assert files["init"] == machines.kernel._INIT.read_bytes()


def test_a_kernel_that_lacks_a_module_or_has_two_of_a_file_is_told(unpacked: Kernel) -> None:
    (unpacked.folder / "lib/modules/6.9-cloud/kernel/virtio_net.ko").unlink()
    with pytest.raises(MachineError, match="the kernel in 6.9-cloud has no module virtio_net"):
        unpacked.initrd()
    with pytest.raises(MachineError, match=r"hold 0 files boot/vmlinuz-\*, not one"):
        _ = unpacked.image


def test_names_and_contents_of_any_length_are_aligned() -> None:
    files = {f"{'n' * number}": (0o100644, b"c" * number) for number in range(1, 9)}
    assert files_in(packed(files)) == {name: content for name, (_, content) in files.items()}
