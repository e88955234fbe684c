"""Serving the pages of a kind of work until the person who started them ends them."""

from collections.abc import Callable

from eval_flows.episodes.judging.server import judging_app
from eval_flows.episodes.judging.work import Work
from eval_flows.episodes.pages.serve import Pages


def serve_work(work: Work, host: str, port: int, say: Callable[[str], None]) -> None:
    """Say the link, and serve until Ctrl+C. What was kept is on disk, so a kill loses nothing. `BadInput` if nobody can listen there."""
    pages = Pages(judging_app(work), host, port)
    say(f"open {pages.acting}\nCtrl+C ends it.")
    pages.run()
