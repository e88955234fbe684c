"""The tags of MP3 files: ID3v2 (versions 2.3 and 2.4, id3.org), and ID3v1 where that is missing."""

from collections.abc import Mapping

_NAMES = {
    "TIT2": "title", "TPE1": "artist", "TPE2": "albumartist", "TALB": "album", "TCON": "genre", "TDRC": "date", "TYER": "date", "TRCK": "tracknumber",
    "TPOS": "discnumber", "TCOM": "composer", "TCOP": "copyright", "TENC": "encodedby", "TBPM": "bpm", "TEXT": "lyricist", "TPUB": "organization",
}  # fmt: skip
_ENCODINGS = {0: "latin-1", 1: "utf-16", 2: "utf-16-be", 3: "utf-8"}
_HEADER, _FRAME, _OLD = 10, 10, 128  # bytes


def tags(sound: bytes) -> Mapping[str, str]:
    """Return the tags by their usual names (title, artist, album, ...); several values of one are joined by commas."""
    return (_old(sound) | _frames(sound)) if sound[:3] == b"ID3" else _old(sound)


def _frames(sound: bytes) -> dict[str, str]:
    version, found = sound[3], dict[str, str]()
    at, end = _HEADER, min(len(sound), _HEADER + _size(sound[6:10], True))
    while at + _FRAME <= end and sound[at : at + 4].strip(b"\0"):
        name, length = sound[at : at + 4].decode("latin-1"), _size(sound[at + 4 : at + 8], version > 3)
        body = sound[at + _FRAME : at + _FRAME + length]
        if name in _NAMES and body:
            values = body[1:].decode(_ENCODINGS.get(body[0], "latin-1"), "replace").strip("\0").split("\0")
            found[_NAMES[name]] = ",".join(values)
        at += _FRAME + length
    return found


def _size(written: bytes, is_safe: bool) -> int:
    """Return a size; a safe one has seven bits in each byte."""
    size = 0
    for byte in written:
        size = (size << (7 if is_safe else 8)) | byte
    return size


def _old(sound: bytes) -> dict[str, str]:
    block = sound[-_OLD:]
    if block[:3] != b"TAG":
        return {}
    places = {"title": (3, 33), "artist": (33, 63), "album": (63, 93), "date": (93, 97)}
    texts = {name: block[start:end].split(b"\0")[0].decode("latin-1").strip() for name, (start, end) in places.items()}
    return {name: text for name, text in texts.items() if text}
