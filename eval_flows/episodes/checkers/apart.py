"""Reading apart: what reads an agent's files by native code or SQL does so in a process of its own, which is kept for the next file.

Such code hears no signal of Python, opens what a file names, takes all memory, and ends its process when it crashes. The kernel ends this process,
and nothing else with it: then the file cannot be read, and the check has failed.
"""

import atexit
import os
import pickle
import resource
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, Pipe
from typing import Any, Self, TypeVar, cast

from machines.errors import LeftUnreadable, MachineError

T = TypeVar("T")

_MEMORY = 2 * 2**30  # bytes of data: the libraries take a sixth of it
_LARGEST_ANSWER = 64 * 2**20  # bytes
_LONGEST = 300.0  # seconds on the clock, for what waits and takes no processor time; a busy host makes an honest file take long too
_TAKES_MEMORY = 90  # the exit code of a reader that has no memory left
_KINDLY = 5.0  # seconds for a reader to end by itself
_DEAD_END = "http://127.0.0.1:9"
_CONFIGURED = {
    # of GDAL only drivers that read one file and open nothing else: not the network, and no file of this host that a file names
    "GDAL_SKIP": "MEM,PCIDSK,PDS4,VICAR,PDF,MBTiles,EEDA,OGCAPI,GDALG,ESRI Shapefile,MapInfo File,LVBAG,S57,DGN,OGR_VRT,GML,LIBKML,ESRIJSON,TopoJSON,"
    "OGR_GMT,SQLite,WAsP,OpenFileGDB,DXF,GeoRSS,VFK,PGDUMP,OSM,GPSBabel,OGR_PDS,WFS,OAPIF,EDIGEO,Idrisi,ODS,XLSX,Elasticsearch,Carto,AmigoCloud,SXF,"
    "Selafin,JML,PLSCENES,CSW,VDV,MVT,NGW,MapML,GTFS,PMTiles,JSONFG,MiraMonVector,ADBC,AVCBin,AVCE00,AIVector,HTTP",
    "SPATIALITE_LOAD": "FALSE",  # its virtual tables are files of this host that a GeoPackage names
    "PROJ_NETWORK": "OFF",
    **dict.fromkeys(("http_proxy", "https_proxy", "ftp_proxy", "all_proxy", "HTTPS_PROXY", "ALL_PROXY"), _DEAD_END),
    **dict.fromkeys(("no_proxy", "NO_PROXY"), ""),
    **dict.fromkeys(("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS"), "1"),  # each thread reserves memory
}


class NotRead(ValueError):
    """What read a file raised this, as text."""


class _Ended(Exception):
    """The reader has ended; `is_certain` tells whether another one would do no better."""

    def __init__(self, why: str, is_certain: bool = False) -> None:
        super().__init__(why)
        self.is_certain = is_certain


@dataclass(eq=False)
class _Reader:
    """The process that reads, with this end of its pipe. It ends when the pipe is closed, so it never outlives the process that owns it."""

    process: "subprocess.Popen[bytes]"
    pipe: "Connection[Any, Any]"
    owner: int = field(default_factory=os.getpid)

    @classmethod
    def start(cls) -> Self:
        """Start a reader; `MachineError` if it does not come up, which is no file's doing."""
        ours, theirs = Pipe()
        process = subprocess.Popen(
            [sys.executable, "-P", "-m", "eval_flows.episodes.checkers.apart", str(theirs.fileno())],
            env={**os.environ, **_CONFIGURED, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stdin=subprocess.DEVNULL,
            pass_fds=[theirs.fileno()],
            process_group=0,  # Ctrl-C is for the process that owns it
        )
        theirs.close()
        made = cls(process, ours)
        try:
            ours.recv_bytes()
        except (EOFError, OSError):
            raise MachineError(f"the process that reads files does not start: it ended with {made.end()}") from None
        return made

    def answer(self, question: bytes) -> tuple[bool, Any]:
        """Return whether something was read, and what it is or why not; `_Ended` if the reader is no more."""
        try:
            self.pipe.send_bytes(question)
            if self.pipe.poll(_LONGEST):
                return cast("tuple[bool, Any]", pickle.loads(self.pipe.recv_bytes(_LARGEST_ANSWER)))
        except (EOFError, OSError):  # it has ended, or answers too much
            raise _ended(self.end()) from None
        self.process.kill()
        self.end()
        raise _Ended(f"it is not read within {_LONGEST:.0f} s", is_certain=True)

    def end(self) -> int:
        """End the process and return its exit code."""
        self.pipe.close()
        try:
            return self.process.wait(_KINDLY)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return self.process.wait()


_one_at_a_time = threading.Lock()
_kept: list[_Reader] = []


def read_apart(seconds: float, read: Callable[..., T], *given: Any) -> T:
    """Return what `read` gives, a function of a module that takes and gives plain data; `NotRead` with what it raised.

    `LeftUnreadable` if it takes more than so many seconds of processor time, too much memory, or ends its process. A process that has read many
    files may end by them, so another one tries.
    """
    question = pickle.dumps((seconds, read, given))
    with _one_at_a_time:
        for is_last in (False, True):
            try:
                is_read, found = _reader().answer(question)
            except _Ended as ended:
                if is_last or ended.is_certain:
                    raise LeftUnreadable(f"the file cannot be read: {ended}") from None
            else:
                break
    if not is_read:
        raise NotRead(found)
    return cast("T", found)


def _reader() -> _Reader:
    """Return the reader of this process, a new one if there is none that works."""
    if not _kept or _kept[0].pipe.closed or _kept[0].owner != os.getpid():
        _kept[:] = [_Reader.start()]
    return _kept[0]


def _ended(code: int) -> _Ended:
    if code == -signal.SIGPROF:
        return _Ended("it takes too long", is_certain=True)
    why = "it takes too much memory" if code == _TAKES_MEMORY else f"what reads it ended with {signal.Signals(-code).name if code < 0 else code}"
    return _Ended(why)


@atexit.register
def _end() -> None:
    if _kept and _kept[0].owner == os.getpid() and not _kept[0].pipe.closed:
        _kept[0].end()


def _serve(pipe: "Connection[Any, Any]") -> None:
    """Read what is asked for, one after another, until the owner closes the pipe. The kernel ends this process when a time is over."""
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    pipe.send_bytes(b"ready")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for shown in (1, 2):  # libraries tell the terminal what they think of a file
        os.dup2(nowhere, shown)
    while True:
        try:
            question = pipe.recv_bytes()
        except EOFError:
            return
        pipe.send_bytes(_answer(question))


def _answer(question: bytes) -> bytes:
    try:
        seconds, read, given = pickle.loads(question)
        signal.setitimer(signal.ITIMER_PROF, seconds)
        return pickle.dumps((True, read(*given)))
    except MemoryError:
        os._exit(_TAKES_MEMORY)
    except Exception as error:  # libraries raise a dozen kinds of errors for content that they cannot read
        return pickle.dumps((False, f"{type(error).__name__}: {error}"))
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


if __name__ == "__main__":
    _serve(Connection(int(sys.argv[1])))
