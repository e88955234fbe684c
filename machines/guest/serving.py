"""Serving an application over a listening socket, until the process ends."""

import socket

from flask import Flask
from werkzeug.serving import WSGIRequestHandler, make_server


class _Quiet(WSGIRequestHandler):
    """Answers over connections that stay open, without a log."""

    protocol_version = "HTTP/1.1"

    def log_request(self, *_: object) -> None:
        """Do nothing: the host keeps the log of its requests."""

    def address_string(self) -> str:
        return "host"


def serve(app: Flask, listening: socket.socket) -> None:
    """Answer requests, each connection in a thread of its own."""
    is_path = hasattr(socket, "AF_UNIX") and listening.family == socket.AF_UNIX
    make_server("unix://guest" if is_path else "0.0.0.0", 0, app, threaded=True, request_handler=_Quiet, fd=listening.fileno()).serve_forever()
