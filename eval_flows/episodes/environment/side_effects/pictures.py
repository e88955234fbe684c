"""Pictures, compared by their size and by every pixel. `area` frees a rectangle: left, top, right and bottom, in pixels."""

import hashlib
import io
from collections.abc import Sequence

from PIL import Image, ImageDraw

from eval_flows.episodes.checkers.pictures import opened_picture
from eval_flows.episodes.environment.side_effects.parts import Parts
from eval_flows.episodes.tasks.changes import Change


def of_picture(content: bytes, changes: Sequence[Change]) -> Parts:
    """Return the size, and a digest of the pixels outside the freed areas; the file format and metadata do not count."""
    picture = opened_picture(content).convert("RGBA")
    draw = ImageDraw.Draw(picture)
    for change in changes:
        if "area" in change:
            draw.rectangle([float(edge) for edge in change["area"]], fill=(0, 0, 0, 0))
    pixels = hashlib.sha256(picture.tobytes()).hexdigest()[:12]
    return {"size": f"{picture.width} x {picture.height}", "pixels (their digest)": pixels}


def spoiled(content: bytes) -> bytes:
    """Return the picture with one corner in another colour."""
    picture = opened_picture(content)
    made = Image.new("RGBA", picture.size)
    made.paste(picture.convert("RGBA"))
    corner = made.getpixel((0, 0))
    ImageDraw.Draw(made).rectangle([0, 0, 3, 3], fill=(255, 0, 255, 255) if corner != (255, 0, 255, 255) else (0, 255, 0, 255))
    file = io.BytesIO()
    made.convert("RGB" if picture.format == "JPEG" else "RGBA").save(file, picture.format)
    return file.getvalue()
