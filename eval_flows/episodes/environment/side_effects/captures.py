"""Packet captures, compared by their packets and comments. `packets` frees comments of packets by number, `comment` the file's comment."""

import hashlib
from collections.abc import Sequence

from eval_flows.episodes.checkers.captures import read_capture
from eval_flows.episodes.environment.side_effects.parts import Parts, Unit, Units, freed
from eval_flows.episodes.tasks.changes import Change


def of_capture(content: bytes, changes: Sequence[Change]) -> Parts:
    """Return packets by a digest of their bytes, their comments and the file's comment; the file format does not count."""
    capture, free = read_capture(content), set(freed(changes, "packets"))
    packets = [Unit(f"packet {number}", hashlib.sha256(one.frame).hexdigest()[:12]) for number, one in enumerate(capture.packets, 1)]
    comments = {
        f"comment of packet {number}": one.comment for number, one in enumerate(capture.packets, 1) if one.comment and str(number) not in free
    }
    parts: Parts = {"packets": Units(packets), "comments": comments}
    if not any("comment" in change for change in changes):
        parts["comment of the file"] = capture.comment
    return parts
