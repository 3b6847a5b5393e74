"""Arguments of public methods, checked at the door: what is no text or number goes no further.

A class under `typed` has every public method look at what it is given for the parameters that are
annotated with a kind of KINDS, before anything is locked or looked at. Everything else (contents,
replies, results, lists) is read where its shape is known, and refused there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from operator import index
from types import FunctionType
from typing import Any, TypeVar

from loom.errors import LoomError

Checked = TypeVar("Checked")
# Not looked at here: of a number of tokens `token_number` tells.
OTHERS = frozenset({"return", "window", "reply", "history"})
WIDEST = 63  # bits of a whole number


class BadArgument(LoomError, TypeError):
    """An argument of another kind than its method takes; nothing was done.

    `method` and `name` say which; `given` is the name of the type that was given.
    """

    def __init__(self, method: str, name: str, wanted: str, given: str) -> None:
        self.method, self.name, self.given = method, name, given
        super().__init__(f"{method}: {name}= is {wanted}, not of type {given}; nothing was done")


def _whole(value: object) -> bool:
    try:
        return index(value).bit_length() <= WIDEST  # type: ignore[arg-type]
    except TypeError:
        return False


def _number(value: object) -> bool:
    return isinstance(value, float) or _whole(value)


def _text(value: object) -> bool:
    return isinstance(value, str)


def _texts(value: object) -> bool:
    kept = isinstance(value, list | tuple | set | frozenset)  # others are read but once
    return isinstance(value, Iterable) and (not kept or all(map(_text, value)))


def _pages(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        _text(name) and isinstance(data, bytes) for name, data in value.items()
    )


def _call(value: object) -> bool:
    return _text(value) or _text(getattr(value, "id", None))


Kind = tuple[Callable[[object], bool], str]
# By the annotation of a parameter: what may be given for it, in code and in words.
KINDS: dict[str, Kind] = {
    "str": (_text, "a text"),
    "int": (_whole, "a whole number"),
    "float": (_number, "a number"),
    "int | str": (lambda given: _text(given) or _whole(given), "a whole number or a text"),
    "str | None": (lambda given: given is None or _text(given), "a text or None"),
    "int | None": (lambda given: given is None or _whole(given), "a whole number or None"),
    "Iterable[str]": (_texts, "texts"),
    "Sequence[str]": (_texts, "a list of texts"),
    "Mapping[str, bytes]": (_pages, "bytes by name"),
    "Call | ToolCall | str": (_call, "a call, or the id of one"),
    "str | Call | ToolCall": (_call, "a text or a call"),
}


def typed(of: type[Checked]) -> type[Checked]:
    """The class, its public methods refusing arguments of another kind by BadArgument."""
    for name, held in tuple(vars(of).items()):
        if isinstance(held, FunctionType) and not name.startswith("_"):
            written = held.__annotations__.items()
            kinds = {
                one: KINDS[kind] for one, kind in written if kind in KINDS and one not in OTHERS
            }
            if kinds:
                setattr(of, name, _checked(held, kinds))
    return of


def _checked(method: FunctionType, kinds: dict[str, Kind]) -> Callable[..., Any]:
    code = method.__code__
    names = code.co_varnames[1 : code.co_argcount]
    named = {*names, *code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]}
    rest = next((kind for name, kind in kinds.items() if name not in named), None)  # of **more

    @wraps(method)
    def run(self: object, /, *given: Any, **more: Any) -> Any:
        for name, value in (*zip(names, given, strict=False), *more.items()):
            kind = kinds.get(name, None if name in named else rest)
            if kind is not None and not kind[0](value):
                raise BadArgument(method.__name__, name, kind[1], type(value).__name__)
        return method(self, *given, **more)

    return run
