"""Makers of stand-ins. Each gives the content of a file, with the same bytes each time; those of our own suites make the plain ones."""

import gzip
import io
import re
import tarfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from eval_flows.episodes.osworld.stand_ins.decks import deck
from eval_flows.episodes.osworld.stand_ins.films import film, music
from eval_flows.episodes.osworld.stand_ins.layers import layers
from eval_flows.episodes.osworld.stand_ins.pages import pdf
from eval_flows.episodes.osworld.stand_ins.sheets import sheets
from eval_flows.episodes.osworld.stand_ins.texts import document
from eval_flows.episodes.osworld.stand_ins.zips import zipped
from eval_flows.episodes.tasks.makers.maker import made_file
from machines.image import HOMES_OF_PROGRAMS

Json = Mapping[str, Any]
Maker = Callable[[Json], bytes]
_PROFILE = HOMES_OF_PROGRAMS / "osworld" / ".thunderbird"


def _archive(asked: Json) -> bytes:
    """Return a zip archive of made files, by their paths in it."""
    return zipped({path: MAKERS[name](what) for path, made in asked["files"].items() for name, what in made.items()})


def _profile(asked: Json) -> bytes:
    """Return the profile of Thunderbird in the image `osworld` as an archive, with `lines` added to its preferences."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w") as archive:
        for path in sorted(one for one in _PROFILE.rglob("*") if one.is_file()):
            content = path.read_bytes()
            if path.name == "prefs.js":
                content += "".join(f"{line}\n" for line in asked.get("lines", ())).encode()
            entry = tarfile.TarInfo(str(Path(".thunderbird") / path.relative_to(_PROFILE)))
            entry.size = len(content)
            archive.addfile(entry, io.BytesIO(content))
    return gzip.compress(file.getvalue(), mtime=0)


def _mails(asked: Json) -> bytes:
    """Return a `folder` of the accounts of that profile, without the messages with a subject that has the text `without` in it."""
    (folder,) = _PROFILE.glob(f"*/Mail/{asked['folder']}")
    mails = re.split(r"(?m)^(?=From - )", folder.read_text())
    return "".join(mail for mail in mails if f"Subject: {asked['without']}" not in mail).encode()


def _own(name: str) -> Maker:
    """Return a maker of our own suites."""
    return lambda asked: made_file(name, asked)


MAKERS: Mapping[str, Maker] = {
    **{name: _own(name) for name in ("text", "csv", "picture", "sound")},
    "archive": _archive,
    "deck": deck,
    "document": document,
    "film": film,
    "layers": layers,
    "mails": _mails,
    "music": music,
    "pdf": pdf,
    "profile": _profile,
    "sheets": sheets,
}
