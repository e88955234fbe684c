"""Archives with the same bytes each time."""

import io
import zipfile
from collections.abc import Mapping

_BEGIN = (1980, 1, 1, 0, 0, 0)


def zipped(files: Mapping[str, bytes]) -> bytes:
    """Return a zip archive of files by their paths."""
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(zipfile.ZipInfo(path, _BEGIN), content, zipfile.ZIP_DEFLATED)
    return file.getvalue()


def steady(content: bytes) -> bytes:
    """Return a zip archive with one time for all its parts."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        return zipped({name: archive.read(name) for name in archive.namelist()})
