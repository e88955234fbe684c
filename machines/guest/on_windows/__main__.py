"""The guest server on Windows: reads `guest.json`, and serves until it is ended.

usage: python -m machines.guest.on_windows FILE, where the file is JSON with `token` and `port`; `install.ps1` writes it.
"""

import json
import socket
import sys
from pathlib import Path

from machines.guest.on_windows.platform import Windows
from machines.guest.protocol import add_protocol
from machines.guest.server import Guest, create_app
from machines.guest.web import serve


def main() -> None:
    """Serve on every address of this machine: the token and the firewall keep others out."""
    asked = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8-sig"))
    guest = Guest(Windows(Path.home()), {})
    app = create_app(guest, asked["token"])
    add_protocol(app, guest)
    with socket.create_server(("0.0.0.0", asked["port"])) as listening:
        serve(app, listening)


if __name__ == "__main__":
    main()
