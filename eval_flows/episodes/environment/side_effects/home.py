"""Snapshots of a machine's home folder: every file and folder except programs' own, with the digests and the contents of files."""

import base64
import io
import shlex
import tarfile
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from eval_flows.episodes.environment.desktop import Desktop
from eval_flows.episodes.environment.shell import WINDOWS
from eval_flows.episodes.environment.side_effects import windows_home
from machines.errors import LeftUnreadable, MachineError

_MOST_LISTED = 6 * 2**20  # bytes of a list: the guest cuts off what a command says after 16 MiB
_MOST_SECONDS = 60  # of reading for digests; a file that has none by then counts as changed
_DIGESTED, _PACKED = 64 * 2**20, 2**20  # bytes of the largest file with a digest, and with its content; a larger file is known by its size alone
_LISTED = r"%y\t%m\t%s\t%l\t%P\0"
_END = "\0end\0"  # marks the end of each part of the answer: no entry of a part is a bare word
_SAY_END = r"printf '\0end\0'"


@dataclass(frozen=True)
class Entry:
    """A file (`f`), a folder (`d`), a symbolic link (`l`) or something else; permissions in octal digits, on Windows attributes; size in bytes."""

    kind: str
    mode: str
    size: int
    target: str = ""
    digest: str | None = None


@dataclass(frozen=True)
class Home:
    """Entries by their path below the home folder, and the contents of files if they were asked for."""

    entries: Mapping[str, Entry]
    contents: Mapping[str, bytes] = field(default_factory=dict)


def look_at_home(desktop: Desktop, watched: Collection[str], with_contents: bool) -> Home:
    """Take a snapshot, in one round trip. `watched` are files to include although a program owns their place.

    `LeftUnreadable` if it holds more than can be listed, `MachineError` if the guest cannot tell.
    """
    own = desktop.offers.own
    if desktop.offers.platform == WINDOWS:
        return _home_of(list(windows_home.listed(desktop, watched, with_contents, _DIGESTED, _PACKED)), own)
    answer = desktop.client.execute(_command(desktop.offers.home, own, sorted(watched), with_contents), shell=True)
    parts = str(answer["output"]).split(_END)
    if len(parts) != 3:
        raise MachineError(f"the home folder could not be listed: {str(answer.get('error'))[:300]}")
    listed, digests, packed = parts
    if len(listed.encode(errors="replace")) >= _MOST_LISTED:
        raise LeftUnreadable("the home folder holds more files and folders than can be listed")
    entries = dict(_entries(listed, dict(_digests(digests)), own))
    return Home(entries, dict(_unpacked(packed)))


def _home_of(listed: Collection[windows_home.Listed], own: Collection[str]) -> Home:
    around_own = {path for pattern in own for path in parents(pattern)}
    entries = {
        one.path: Entry(one.kind, one.mode, one.size, digest=one.digest and one.digest.lower())
        for one in listed
        if one.kind != "d" or one.path not in around_own
    }
    return Home(entries, {one.path: base64.b64decode(one.content) for one in listed if one.content is not None})


def _command(home: str, own: Collection[str], watched: Collection[str], with_contents: bool) -> str:
    """Return the command that lists, digests and packs; each part ends with the end mark."""
    pruned = " -o ".join(f"-path {shlex.quote(f'./{pattern}')}" for pattern in own)
    beside = " ".join(shlex.quote(f"./{path}") for path in watched)

    def found(action: str) -> str:
        more = f"find {beside} -maxdepth 0 -type f {action.replace('%P', '%p')} 2>/dev/null; " if beside else ""
        return f"{{ find . -mindepth 1 \\( {pruned} \\) -prune -o {action}; {more}}}"

    def files(largest: int) -> str:
        return found(f"-type f -size -{largest + 1}c -print0")

    lines = [
        f"cd {shlex.quote(home)}",
        f"{found(f'-printf {shlex.quote(_LISTED)}')} | head --bytes={_MOST_LISTED}",
        _SAY_END,
        f"{files(_DIGESTED)} | timeout {_MOST_SECONDS} xargs --null --no-run-if-empty sha256sum --zero 2>/dev/null | head --bytes={_MOST_LISTED}",
        _SAY_END,
    ]
    if with_contents:
        lines.append(f"{files(_PACKED)} | tar --create --null --files-from=- 2>/dev/null | base64 --wrap=0")
    return "; ".join(lines)


def _entries(listed: str, digests: Mapping[str, str], own: Collection[str]) -> Iterator[tuple[str, Entry]]:
    around_own = {path for pattern in own for path in parents(pattern)}  # they are made along with a program's own files
    for line in filter(None, listed.split("\0")):
        kind, mode, size, target, path = line.split("\t", 4)
        path = path.removeprefix("./")
        if kind != "d" or path not in around_own:
            yield path, Entry(kind, f"{int(mode, 8):04o}", 0 if kind == "d" else int(size), target, digests.get(path))


def parents(pattern: str) -> Iterator[str]:
    """Yield the folders that a path is in, the nearest first."""
    while "/" in pattern:
        pattern = pattern.rpartition("/")[0]
        yield pattern


def _digests(said: str) -> Iterator[tuple[str, str]]:
    for line in filter(None, said.split("\0")):
        digest, _, path = line.partition("  ")
        yield path.removeprefix("./"), digest


def _unpacked(packed: str) -> Iterator[tuple[str, bytes]]:
    """Yield the files of the tar archive."""
    if not packed.strip():
        return
    try:
        with tarfile.open(fileobj=io.BytesIO(base64.b64decode(packed))) as archive:
            for member in archive.getmembers():
                file = archive.extractfile(member) if member.isfile() else None
                if file is not None:
                    yield member.name.removeprefix("./"), file.read()
    except (ValueError, tarfile.TarError) as error:  # the guest cuts off the output of a command after 16 MiB
        raise MachineError(f"the files of the home folder could not be fetched: {error}") from error
