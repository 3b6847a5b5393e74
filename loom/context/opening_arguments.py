"""Arguments of `loom.open`, checked before anything is made.

The functions that open a child agent or a copy check their arguments here too, before they write a
record of it."""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

from loom.errors import BadInput, OverCapacity
from loom.policy import Policy, choose_policy
from loom.session.moments import Moments
from loom.text import fit_repr
from loom.typed import (
    Kind,
    any_of,
    bad_argument,
    is_none,
    is_path_like,
    is_series,
    is_text,
    is_whole_number,
)

SHOWN = 80  # characters of a value that somebody gave, in a message
Given = TypeVar("Given", int, int | None)
STORE = ("get", "put", "append", "truncate", "names")  # of its methods
SIZES = ("window", "reply")  # in tokens, and of none nothing can be made


def _is_store(value: object) -> bool:
    """Return True for an object that has all methods of a store, as named in `STORE`."""
    return all(callable(getattr(value, name, None)) for name in STORE)


# By name: what may be given, in code and in words.
KINDS: Mapping[str, Kind] = {
    "path": (any_of(is_path_like, _is_store), "the name of a folder, or a store"),
    "goal": (is_text, "a text"),
    "model": (is_text, "the name the provider has for it"),
    "tools": (is_series, "a list of tools"),
    "project": (any_of(is_none, is_path_like), "the name of a folder, or None"),
    "policy": (lambda given: given is None or isinstance(given, str | Policy), "a policy"),
    "capabilities": (is_series, "a list of capabilities"),
    "redact": (is_series, "a list of rules"),
    "on_cut": (any_of(is_none, callable), "a function, or None"),
    "durable": (lambda given: isinstance(given, bool | str), "True or False"),
    "snapshot": (
        lambda given: given is None or isinstance(given, str | PathLike | bytes),
        "the name of a file, its bytes, or None",
    ),
}


def checked_opening_arguments(method: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments `given` to the function `method`, which opens a context, with the
    capabilities as a tuple.

    Raises BadInput for a value of a wrong type, an unknown policy, a project that is no folder, or
    an object that is no capability. Raises OverCapacity for a window or reply below 1."""
    made = dict(given)
    for name, value in given.items():
        if name in SIZES:
            checked_token_number(name, value)
        elif not KINDS[name][0](value):
            raise bad_argument(method, name, KINDS[name][1], type(value).__name__)
    project = given.get("project")
    try:
        found = project is None or Path(project).is_dir()
    except OSError:  # of a name that is too long
        found = False
    if not found:
        told = fit_repr(str(project), SHOWN)
        raise BadInput(f"project={told}: no folder; give the agent's working folder")
    if isinstance(known := given.get("durable"), str):  # "turn" was one
        raise BadInput(
            f"{method}: durable={fit_repr(known, SHOWN)} is unknown: give True, so that what a call"
            " did is on disk when it returns, or False, which syncs nothing (for replays)"
        )
    if given.get("policy") is not None:
        choose_policy(given["policy"])
    if "capabilities" in given:
        made["capabilities"] = tuple(given["capabilities"])
        for one in made["capabilities"]:
            if not isinstance(one, Moments):
                told = fit_repr(one, SHOWN)
                raise BadInput(f"{told} is no capability: give objects of loom.Capability")
    return made


def checked_token_number(name: str, value: Given) -> Given:
    """Return the value of argument `name` as an int; None stays None. Raises BadInput for anything
    but a whole number, OverCapacity for a window or reply below 1."""
    if value is None:
        return value
    if not is_whole_number(value):
        raise BadInput(_number_advice(name, fit_repr(value, SHOWN)))
    if (number := index(value)) < 1 and name in SIZES:
        raise OverCapacity("working", 1, number, said=_number_advice(name, f"{number}"))
    return number


def _number_advice(name: str, value: str) -> str:
    """Return an error text for a bad number of tokens: "window=-1: give a whole number of …"."""
    least = " above 0" if name in SIZES else ""
    return f"{name}={value}: give a whole number of tokens{least}, as {name}=8192"
