"""From events of mouse and keyboard to the actions of the unified space (ProSoftArena, Table 8): what a person did, so that it can be done again.

Clicks that follow fast at one place are one double or triple click, characters that follow each other are one text, turns of the wheel one scroll.
So an action may be known only after a moment: `due` returns what has been quiet long enough, `flushed` everything.
A rest of the pointer counts only before a click elsewhere: menus open where it rests.

Each action has the screen before it. `begins` tells when a picture is needed, and `take` gets it with the event.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from eval_flows.episodes.people.keysyms import BACK_TAB, MODIFIERS, character_of, name_of
from eval_flows.episodes.people.rfb import Key, Pointer
from machines.actions import Action
from machines.hands import drag_along

_NEAR = 4  # pixels: a hand trembles
_AGAIN = 0.5  # seconds between the clicks of a double click, at most
_REST = 0.4  # seconds after which a pointer rests
_WAITS = {"click": _AGAIN, "text": 1.0, "scroll": 0.5}  # seconds after which nothing is added any more
_MOST_PLACES = 60  # of a drag
_LEFT, _MIDDLE, _RIGHT = 1, 2, 4
_TURNS = {8: "up", 16: "down", 32: "left", 64: "right"}
_CLICKS = {1: "single_click", 2: "double_click", 3: "triple_click"}
_SIGNS = {" ": "space", "+": "plus"}  # as combinations of keys name them
_HELD_AT_CLICKS = ("ctrl", "shift", "alt")
Place = tuple[int, int]


@dataclass(frozen=True)
class Gesture:
    """An action, the time at which it began in seconds, and the screen before it (PNG)."""

    action: Action
    began: float
    picture: bytes


@dataclass
class _Open:
    """What may still grow: clicks at a place, a text, or turns of the wheel."""

    kind: str
    began: float
    last: float
    picture: bytes
    place: Place = (0, 0)
    count: int = 1
    text: str = ""
    keys: str = ""


@dataclass
class Gestures:
    """Recognises what one person does on a screen of that width and height; `now` is in seconds everywhere."""

    screen: tuple[int, int]
    _place: Place = (0, 0)
    _since: float = 0.0  # when the pointer came to its place
    _rest: tuple[Place, float, bytes] | None = None
    _buttons: int = 0
    _path: list[Place] = field(default_factory=list)
    _pressed: tuple[float, bytes] = (0.0, b"")
    _held: dict[int, str] = field(default_factory=dict)  # modifiers that are down, by the number of their key
    _alone: int = 0  # a modifier that was pressed, as long as nothing else was
    _open: _Open | None = None
    _seen: bytes = b""  # the last picture
    _way: bytes = b""  # the screen before the pointer began to move to its place
    _has_acted: bool = True  # since the pointer began to move

    def begins(self, event: Key | Pointer, now: float) -> bool:
        """Tell whether an event may begin an action, so that its picture has to be taken before the machine gets the event."""
        one = None if self._is_over(now) else self._open
        if isinstance(event, Key):
            if event.symbol in MODIFIERS:
                return not event.is_down and self._alone == event.symbol
            return event.is_down and not (one and one.kind == "text" and self._written(event) is not None)
        pressed, place = event.buttons & ~self._buttons, (event.x, event.y)
        if one and pressed in _TURNS:
            return not self._scrolls_on(one, _TURNS[pressed], place)
        return bool(pressed) or self._sets_out(place, now)

    def take(self, event: Key | Pointer, now: float, picture: bytes | None = None) -> list[Gesture]:
        """Take an event, with a picture of the screen before it if there is one, and return the actions that are over with it."""
        done = self.due(now)
        self._seen = self._seen if picture is None else picture
        return [*done, *(self._key(event, now) if isinstance(event, Key) else self._pointer(event, now))]

    def due(self, now: float) -> list[Gesture]:
        """Return what has been quiet long enough to be over."""
        return self.flushed() if self._is_over(now) else []

    def flushed(self) -> list[Gesture]:
        """Return what is still open as it is."""
        one, self._open = self._open, None
        return [] if one is None else [Gesture(self._action(one), one.began, one.picture)]

    def _is_over(self, now: float) -> bool:
        return self._open is not None and now - self._open.last > _WAITS[self._open.kind]

    def _action(self, one: _Open) -> Action:
        if one.kind == "text":
            return Action("write", {"text": one.text})
        where = self._share(one.place) | ({"keys": one.keys} if one.keys else {})
        if one.kind == "scroll":
            return Action("scroll", {"direction": one.text, "amount": one.count, **where})
        return Action(_CLICKS[one.count], where)

    def _share(self, place: Place) -> dict[str, float]:
        return dict(zip("xy", (round(at / (size - 1), 5) for at, size in zip(place, self.screen, strict=True)), strict=True))

    def _pointer(self, event: Pointer, now: float) -> list[Gesture]:
        place, changed = (event.x, event.y), event.buttons ^ self._buttons
        self._moved(place, now)
        done: list[Gesture] = []
        pressed, released = changed & event.buttons, changed & self._buttons
        self._buttons = event.buttons
        if pressed:
            self._alone, self._has_acted = 0, True
            done += self._rested(place)
        for turn, direction in _TURNS.items():
            if pressed & turn:
                done += self._turned(direction, place, now)
        for button, name in ((_MIDDLE, "middle_click"), (_RIGHT, "right_click")):
            if pressed & button:
                done += [*self.flushed(), Gesture(Action(name, self._share(place) | self._keys()), now, self._seen)]
        if pressed & _LEFT:
            self._path, self._pressed = [place], (now, self._seen)
        if released & _LEFT:
            done += self._let_go(place, now)
        return done

    def _sets_out(self, place: Place, now: float) -> bool:
        """Tell whether the pointer begins to move: after a rest, or after an action."""
        return not self._buttons and place != self._place and (self._has_acted or now - self._since > _REST)

    def _moved(self, place: Place, now: float) -> None:
        if place == self._place:
            return
        if not self._buttons and self._since and now - self._since > _REST:
            self._rest = self._place, self._since, self._way
        if self._sets_out(place, now):
            self._way, self._has_acted = self._seen, False
        self._place, self._since = place, now
        if self._buttons & _LEFT:
            self._path.append(place)

    def _rested(self, place: Place) -> list[Gesture]:
        """Return the move to where the pointer rested last, if what comes now is elsewhere."""
        rest, self._rest = self._rest, None
        if rest is None or _near(rest[0], place) or (self._open and _near(rest[0], self._open.place)):
            return []
        return [*self.flushed(), Gesture(Action("move_abs", self._share(rest[0])), *rest[1:])]

    def _turned(self, direction: str, place: Place, now: float) -> list[Gesture]:
        if self._open and self._scrolls_on(self._open, direction, place):
            self._open.count, self._open.last = self._open.count + 1, now
            return []
        done = self.flushed()
        self._open = _Open("scroll", now, now, self._seen, place, text=direction, keys=self._keys().get("keys", ""))
        return done

    def _scrolls_on(self, one: _Open, direction: str, place: Place) -> bool:
        return one.kind == "scroll" and (one.text, one.keys) == (direction, self._keys().get("keys", "")) and _near(one.place, place)

    def _let_go(self, place: Place, now: float) -> list[Gesture]:
        start, keys = self._path[0], self._keys().get("keys", "")
        if not all(_near(start, one) for one in [*self._path, place]):
            path = [tuple(self._share(one).values()) for one in _thinned([*self._path, place])]
            return [*self.flushed(), Gesture(drag_along([(x, y) for x, y in path], keys), *self._pressed)]
        one = self._open
        if one and one.kind == "click" and one.keys == keys and _near(one.place, start) and one.count < max(_CLICKS):
            one.count, one.last = one.count + 1, now
            return []
        done = self.flushed()
        self._open = _Open("click", self._pressed[0], now, self._pressed[1], start, keys=keys)
        return done

    def _keys(self) -> dict[str, str]:
        """Return the modifiers that are down, as a click takes them."""
        down = [name for name in _HELD_AT_CLICKS if name in self._held.values()]
        return {"keys": "+".join(down)} if down else {}

    def _key(self, event: Key, now: float) -> list[Gesture]:
        if event.symbol in MODIFIERS:
            return self._modifier(event, MODIFIERS[event.symbol], now)
        if not event.is_down:
            return []
        self._alone, self._rest, self._has_acted = 0, None, True
        written = self._written(event)
        if written is not None:
            return self._typed(written, now)
        down = [name for name in ("ctrl", "alt", "super", "shift") if name in self._held.values()]
        character = character_of(event.symbol)
        name = "tab" if event.symbol == BACK_TAB else name_of(event.symbol) or _SIGNS.get(character or "", character)
        return [] if name is None else self._pressed_keys([*down, name.lower()], now)

    def _written(self, event: Key) -> str | None:
        """Return the character that a key writes now; None if it writes none, or is part of a combination."""
        return None if set(self._held.values()) - {"shift"} else character_of(event.symbol)

    def _modifier(self, event: Key, name: str, now: float) -> list[Gesture]:
        if event.is_down:
            self._alone = 0 if self._held else event.symbol
            self._held[event.symbol] = name
            return []
        self._held.pop(event.symbol, None)
        was_alone = self._alone == event.symbol and name in ("alt", "super")
        self._alone = 0
        return self._pressed_keys([name], now) if was_alone else []

    def _pressed_keys(self, keys: Sequence[str], now: float) -> list[Gesture]:
        self._has_acted = True
        return [*self.flushed(), Gesture(Action("press", {"key": "+".join(keys)}), now, self._seen)]

    def _typed(self, character: str, now: float) -> list[Gesture]:
        if self._open and self._open.kind == "text":
            self._open.text, self._open.last = self._open.text + character, now
            return []
        done = self.flushed()
        self._open = _Open("text", now, now, self._seen, text=character)
        return done


def _near(one: Place, other: Place) -> bool:
    return abs(one[0] - other[0]) <= _NEAR and abs(one[1] - other[1]) <= _NEAR


def _thinned(path: Sequence[Place]) -> Sequence[Place]:
    """Return a path with its first and last place, and not too many between."""
    if len(path) <= _MOST_PLACES:
        return path
    return [path[round(number * (len(path) - 1) / (_MOST_PLACES - 1))] for number in range(_MOST_PLACES)]
