"""The makers of every field of work: common files, and state of the machine."""

from __future__ import annotations

import csv
import io
import re
import socket
import sqlite3
import struct
import tempfile
import wave
import zipfile
from collections.abc import Callable, Mapping
from datetime import datetime
from math import pi, sin
from pathlib import Path
from typing import TYPE_CHECKING, Any

import docx
import dpkt  # type: ignore[import-untyped]
import openpyxl
from openpyxl.writer.excel import ExcelWriter
from PIL import Image, ImageDraw

from atomic_tasks.problems import BadInput
from eval_flows.episodes.tasks.makers.maker import Makers

if TYPE_CHECKING:
    from eval_flows.episodes.environment.desktop import Desktop

_MATERIALS = Path(__file__).parents[1] / "materials"
_NO_TIME = datetime(2026, 1, 1)
_NUMBER = re.compile(r"-?\d+(\.\d+)?", re.ASCII)
_RATE, _FRAMES = 8000, 10  # samples and film frames a second
_FIRST_PACKET = 1_767_225_600  # 2026-01-01 00:00:00 UTC
Json = Mapping[str, Any]


def _folder(desktop: Desktop, path: str) -> None:
    kept = desktop.place(f"{path}/.keep")
    desktop.client.upload(kept, b"")
    desktop.client.execute(["rm", kept])


def _clipboard(desktop: Desktop, asked: Json) -> None:
    desktop.client.act({"name": "copy_text", "text": asked["content"]})


def _text(asked: Json) -> bytes:
    content = asked["content"]
    return (content if isinstance(content, str) else "\n".join(map(str, content)) + "\n").encode()


def _csv(asked: Json) -> bytes:
    file = io.StringIO()
    csv.writer(file, lineterminator="\n").writerows([str(value) for value in row] for row in asked["rows"])
    return file.getvalue().encode()


def _number(value: Any) -> Any:
    """Return a number for a text that is a number, such as an argument; return anything else unchanged."""
    if not isinstance(value, str) or not _NUMBER.fullmatch(value):
        return value
    return float(value) if "." in value else int(value)


def _workbook(asked: Json) -> bytes:
    workbook = openpyxl.Workbook()
    workbook.remove(workbook.active)  # type: ignore[arg-type]
    workbook.properties.created = workbook.properties.modified = _NO_TIME
    for title, rows in asked["sheets"].items():
        sheet = workbook.create_sheet(title)
        for row in rows:
            sheet.append([_number(value) for value in row])
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        ExcelWriter(workbook, archive).write_data()  # `save` would write the present time into the workbook
    return _steady(file.getvalue())


def _document(asked: Json) -> bytes:
    document = docx.Document()
    document.core_properties.created = document.core_properties.modified = _NO_TIME
    for paragraph in asked["paragraphs"]:
        if isinstance(paragraph, str):
            document.add_paragraph(paragraph)
        elif "heading" in paragraph:
            document.add_heading(paragraph["heading"], paragraph.get("level", 1))
        else:
            rows = paragraph["table"]
            table = document.add_table(len(rows), len(rows[0]))
            for row, cells in enumerate(rows):
                for column, text in enumerate(cells):
                    table.cell(row, column).text = str(text)
    file = io.BytesIO()
    document.save(file)
    return _steady(file.getvalue())


def _steady(content: bytes) -> bytes:
    """Return a zip archive with the same time for all its parts."""
    file = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as archive, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        for name in archive.namelist():
            made.writestr(_part(name), archive.read(name), zipfile.ZIP_DEFLATED)
    return file.getvalue()


def _part(name: str) -> zipfile.ZipInfo:
    return zipfile.ZipInfo(name, _NO_TIME.timetuple()[:6])


def _picture(asked: Json) -> bytes:
    width, height = (int(length) for length in asked["size"])
    picture = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(picture)
    shown: Mapping[str, Callable[[Any, Json], None]] = {
        "fill": lambda _, shape: draw.rectangle([0, 0, width, height], fill=shape["colour"]),
        "rectangle": lambda box, shape: draw.rectangle([float(edge) for edge in box], fill=shape["colour"]),
        "ellipse": lambda box, shape: draw.ellipse([float(edge) for edge in box], fill=shape["colour"]),
        "text": lambda words, shape: draw.text(shape["at"], words, fill=shape["colour"]),
    }
    for shape in asked.get("shapes", ()):
        kind = next(name for name in shown if name in shape)
        shown[kind](shape[kind], shape)
    file = io.BytesIO()
    ending = Path(asked["path"]).suffix.lower().lstrip(".")
    picture.save(file, {"jpg": "JPEG", "tif": "TIFF"}.get(ending, ending.upper()))
    return file.getvalue()


def _sound(asked: Json) -> bytes:
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(_RATE)
        turn = 2 * pi * float(asked.get("pitch", 440)) / _RATE
        sound.writeframes(b"".join(struct.pack("<h", int(8000 * sin(turn * sample))) for sample in range(int(float(asked["seconds"]) * _RATE))))
    return file.getvalue()


def _video(asked: Json) -> bytes:
    """Return an AVI of uncompressed pictures: a bar moves from left to right."""
    width, height = (int(length) // 4 * 4 for length in asked.get("size", (160, 120)))
    frames = [_frame(width, height, number) for number in range(int(float(asked["seconds"]) * _FRAMES))]
    size = width * height * 3
    header = struct.pack("<14I", 1_000_000 // _FRAMES, size * _FRAMES, 0, 0x10, len(frames), 0, 1, size, width, height, 0, 0, 0, 0)
    stream = b"vids" + struct.pack("<11I", 0, 0, 0, 0, 1, _FRAMES, 0, len(frames), size, 0xFFFFFFFF, 0) + struct.pack("<4H", 0, 0, width, height)
    form = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, size, 0, 0, 0, 0)
    lists = _chunk(b"LIST", b"hdrl" + _chunk(b"avih", header) + _chunk(b"LIST", b"strl" + _chunk(b"strh", stream) + _chunk(b"strf", form)))
    movie = _chunk(b"LIST", b"movi" + b"".join(_chunk(b"00db", frame) for frame in frames))
    index = _chunk(b"idx1", b"".join(b"00db" + struct.pack("<III", 0x10, 4 + number * (size + 8), size) for number in range(len(frames))))
    return _chunk(b"RIFF", b"AVI " + lists + movie + index)


def _frame(width: int, height: int, number: int) -> bytes:
    bar = number * 8 % width
    line = b"".join(b"\xff\xff\xff" if bar <= x < bar + 16 else bytes((40, 80, 120)) for x in range(width))
    return line * height


def _chunk(name: bytes, content: bytes) -> bytes:
    return name + struct.pack("<I", len(content)) + content + b"\0" * (len(content) % 2)


def _database(asked: Json) -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "made.db"
        connection = sqlite3.connect(path)
        script = asked["script"]
        connection.executescript(script if isinstance(script, str) else ";\n".join(script))
        connection.commit()
        connection.close()
        return path.read_bytes()


def _archive(asked: Json) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, content in asked["files"].items():
            archive.writestr(_part(name), str(content))
    return file.getvalue()


def _capture(asked: Json) -> bytes:
    """Return a capture with a packet every second from the beginning of 2026: pcapng if the file's name ends so, else pcap."""
    file = io.BytesIO()
    kind = dpkt.pcapng if Path(asked["path"]).suffix.lower() == ".pcapng" else dpkt.pcap
    writer = kind.Writer(file, snaplen=65535)
    for number, packet in enumerate(asked["packets"]):
        writer.writepkt(_ethernet(packet, number), _FIRST_PACKET + number * 1.001)
    return file.getvalue()


def _ethernet(packet: Json, number: int) -> bytes:
    """Return a frame; the content of IPv4 is given as bytes, since dpkt would add unneeded check sums to packets."""
    protocol, text = packet["protocol"], str(packet.get("text", "")).encode()
    ports = {"sport": int(packet.get("from_port", 40_000 + number)), "dport": int(packet.get("port", 53 if protocol == "dns" else 80))}
    if protocol == "icmp":
        inside = bytes(dpkt.icmp.ICMP(type=8, data=dpkt.icmp.ICMP.Echo(id=1, seq=number, data=text)))
    elif protocol == "tcp":
        inside = bytes(dpkt.tcp.TCP(**ports, seq=1000 + number, ack=1, flags=0x18, win=8192, data=text))
    else:
        said = bytes(dpkt.dns.DNS(id=number, qd=[dpkt.dns.DNS.Q(name=packet["text"])])) if protocol == "dns" else text
        inside = bytes(dpkt.udp.UDP(**ports, ulen=8 + len(said), data=said))
    ends = {end: socket.inet_aton(packet[name]) for end, name in (("src", "from"), ("dst", "to"))}
    numbered = {"icmp": 1, "tcp": 6, "udp": 17, "dns": 17}[protocol]
    ip = dpkt.ip.IP(**ends, p=numbered, id=number + 1, len=20 + len(inside), data=inside)
    return bytes(dpkt.ethernet.Ethernet(dst=b"\2\0\0\0\0\2", src=b"\2\0\0\0\0\1", data=ip))


def _material(asked: Json) -> bytes:
    """Return the content of a file that was written for a suite; the name cannot lead out of the folder."""
    path = (_MATERIALS / str(asked["from"])).resolve()
    if not path.is_relative_to(_MATERIALS) or not path.is_file():
        raise BadInput(f"there is no material '{asked['from']}' in {_MATERIALS}")
    return path.read_bytes()


MAKERS = Makers(
    of_state={"folder": _folder, "clipboard": _clipboard},
    of_files={
        "text": _text,
        "csv": _csv,
        "workbook": _workbook,
        "document": _document,
        "picture": _picture,
        "sound": _sound,
        "video": _video,
        "database": _database,
        "archive": _archive,
        "capture": _capture,
        "material": _material,
    },
)
