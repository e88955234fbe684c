"""Reading the tree of a guest, whichever system wrote it."""

from xml.etree import ElementTree

from machines.errors import MachineError
from machines.trees import at_spi, uia
from machines.trees.elements import Element, Pair

_WINDOWS_ROOT = "desktop"  # OSWorld and Windows Agent Arena name it so; the root under Linux is `desktop-frame`
_MACOS = "accessibility.macos."


def read_elements(xml: str, screen: Pair) -> list[Element]:
    """Return the elements that lie on the screen, in the order of the tree; `MachineError` if the tree cannot be read."""
    try:
        root = ElementTree.fromstring(xml)
    except (ElementTree.ParseError, ValueError) as error:
        raise MachineError(f"the guest's accessibility tree cannot be read: {error}") from error
    if root.tag == _WINDOWS_ROOT and any(_MACOS in key for node in root for key in node.attrib):
        raise MachineError("the guest's accessibility tree cannot be read: it is one of macOS")
    read = uia.elements_of if root.tag == _WINDOWS_ROOT else at_spi.elements_of
    try:
        return read(root, screen)
    except (ValueError, RecursionError) as error:
        raise MachineError(f"the guest's accessibility tree holds a place, size or value that cannot be read, or is too deep: {error}") from error
