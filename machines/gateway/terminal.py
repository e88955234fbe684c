"""What the terminal in front shows, from the accessibility tree, as OSWorld's server finds it: in the active window, the terminal with the focus."""

from xml.etree import ElementTree

_STATE = "{https://accessibility.ubuntu.example.org/ns/state}"


def shown_in_terminal(tree: str) -> str | None:
    """Return the text of the terminal that has the focus; None if no terminal is in front."""
    try:
        root = ElementTree.fromstring(tree)
    except ElementTree.ParseError:
        return None
    frames = [frame for frame in root.iterfind("application/frame") if frame.get(f"{_STATE}active") == "true"]
    terminals = [one for frame in frames for one in frame.iter("terminal") if one.get(f"{_STATE}focused") == "true"]
    return (terminals[0].text or "").rstrip() if len(terminals) == 1 else None
