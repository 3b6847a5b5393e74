"""Checks the arguments of public methods. A value of the wrong type raises BadInput at once.

Decorate a class with `check_arguments`. Its public methods then check each argument whose
annotation is in KINDS, before anything is locked or read. Other arguments, such as contents,
replies and results, are checked where they are used."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import wraps
from inspect import Parameter, signature
from itertools import zip_longest
from operator import index
from os import fsencode, fspath
from types import FunctionType
from typing import Any, TypeVar

from loom.errors import BadInput

Checked = TypeVar("Checked")
Test = Callable[[object], bool]
# Not looked at here: of a number of tokens `token_number` tells.
OTHERS = frozenset({"return", "window", "reply", "history"})
WIDEST = 63  # bits of a whole number
WHOLE, NUMBER = f"a whole number of at most {WIDEST} bits", "a number (NaN is none)"


def bad_argument(method: str, name: str, wanted: str, given: str) -> BadInput:
    """Return the error for an argument `name` of `method` with the type `given`, not `wanted`."""
    return BadInput(f"{method}: {name}= is {wanted}, not of type {given}; nothing was done")


def is_whole_number(value: object) -> bool:
    """Return True for an integer of at most WIDEST bits, also numpy's, but not for a bool."""
    try:
        narrow = index(value).bit_length() <= WIDEST  # type: ignore[arg-type]
    except TypeError:
        return False
    return narrow and not isinstance(value, bool)


def is_text(value: object) -> bool:
    """Return True for a str."""
    return isinstance(value, str)


def is_series(value: object) -> bool:
    """Return True for an iterable such as a list, but not for a str or bytes."""
    return isinstance(value, Iterable) and not isinstance(value, str | bytes | bytearray)


def is_path_like(value: object) -> bool:
    """Return True for a str or PathLike that is a valid path, but not for bytes."""
    try:
        name = fspath(value)  # type: ignore[call-overload]
        return isinstance(name, str) and b"\0" not in fsencode(name)
    except (TypeError, UnicodeError):
        return False


def any_of(*tests: Test) -> Test:
    """Return a function that returns True for a value if at least one of `tests` does."""
    return lambda value: any(test(value) for test in tests)


def is_none(value: object) -> bool:
    """Return True for None."""
    return value is None


def _is_number(value: object) -> bool:
    return (isinstance(value, float) and value == value) or is_whole_number(value)


def _is_text_tuple(value: object) -> bool:
    return isinstance(value, tuple) and all(map(is_text, value))


def _is_bytes_by_name(value: object) -> bool:
    return isinstance(value, Mapping) and all(
        is_text(name) and isinstance(data, bytes) for name, data in value.items()
    )


def _is_call(value: object) -> bool:
    """Return True for a call's id, or an object whose `id` is a text."""
    return is_text(value) or is_text(getattr(value, "id", None))


def _is_process(value: object) -> bool:
    """Return True for a process id, or for an object with `pid` and `poll`, such as a Popen."""
    return is_whole_number(value) or (
        is_whole_number(getattr(value, "pid", None))
        and callable(_instance_attribute(value, "poll"))
    )


def _is_embedder(value: object) -> bool:
    return value is None or callable(_instance_attribute(value, "embed"))


def _instance_attribute(owner: object, name: str) -> object:
    """Return the attribute `name` of an object, None if it does not exist or `owner` is a class."""
    return None if isinstance(owner, type) else getattr(owner, name, None)


Kind = tuple[Test, str]
# By the annotation of a parameter: what may be given for it, in code and in words.
KINDS: dict[str, Kind] = {
    "str": (is_text, "a text"),
    "Urgency": (is_text, "a text"),
    "Disposition": (is_text, "a text"),
    "int": (is_whole_number, WHOLE),
    "float": (_is_number, NUMBER),
    "int | str": (any_of(is_text, is_whole_number), f"{WHOLE} or a text"),
    "str | None": (any_of(is_none, is_text), "a text or None"),
    "int | None": (any_of(is_none, is_whole_number), f"{WHOLE} or None"),
    "float | None": (any_of(is_none, _is_number), f"{NUMBER} or None"),
    "Iterable[str]": (_is_text_tuple, "texts"),
    "Sequence[str]": (_is_text_tuple, "a list of texts"),
    "Sequence[Any]": (is_series, "a list"),
    "bool | None": (lambda given: given in (True, False, None), "True, False or None"),
    "Iterable[str | tuple[str, str]]": (any_of(is_text, is_series), "a list"),
    "BaseException": (lambda given: isinstance(given, BaseException), "an exception"),
    "Callable[[BusEvent], object]": (callable, "a function"),
    "Embedder | None": (_is_embedder, "an object with a method `embed`, or None"),
    "int | subprocess.Popen[Any]": (_is_process, "the number of a process, or a Popen"),
    "Mapping[str, bytes]": (_is_bytes_by_name, "bytes by name"),
    "Call | ToolCall | str": (_is_call, "a call, or the id of one"),
    "str | Call | ToolCall": (_is_call, "a text or a call"),
}


def check_arguments(cls: type[Checked]) -> type[Checked]:
    """Return the class, its public methods wrapped to raise BadInput for an argument of the wrong
    type."""
    for name, held in tuple(vars(cls).items()):
        if isinstance(held, FunctionType) and not name.startswith("_"):
            written = held.__annotations__.items()
            kinds = {
                one: KINDS[kind] for one, kind in written if kind in KINDS and one not in OTHERS
            }
            if kinds:
                setattr(cls, name, _with_checks(held, kinds))
    return cls


def _with_checks(method: FunctionType, kinds: dict[str, Kind]) -> Callable[..., Any]:
    """Return `method` wrapped to raise BadInput for an argument that fails its test. `kinds` maps
    parameter names to tests."""
    asked = {one.name: one.kind for one in signature(method).parameters.values()}
    names = [name for name, kind in asked.items() if kind is Parameter.POSITIONAL_OR_KEYWORD][1:]
    others = [name for name, kind in asked.items() if kind is Parameter.VAR_POSITIONAL]
    more_named = next((name for name, kind in asked.items() if kind is Parameter.VAR_KEYWORD), "")

    def checked(name: str, value: Any) -> Any:
        kind = kinds.get(name if name in asked else more_named)
        if kind is None:
            return value
        read = (
            tuple(value) if kind[0] is _is_text_tuple and is_series(value) else value
        )  # once, and first
        if not kind[0](read):
            raise bad_argument(method.__name__, name, kind[1], type(value).__name__)
        return read

    @wraps(method)
    def run(self: object, /, *given: Any, **more: Any) -> Any:
        # The last name is for all that follow; a call with too many is refused by Python itself.
        named = zip_longest(names[: len(given)], given, fillvalue=others[0] if others else "self")
        held = [checked(name, value) for name, value in named]
        return method(self, *held, **{name: checked(name, more[name]) for name in more})

    return run
