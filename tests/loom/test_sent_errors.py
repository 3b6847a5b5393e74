"""Errors that cross from one process to another, as those of a pool's workers do."""

import copy
import importlib
import inspect
import pickle
import pkgutil
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

import loom
import loom_paging
import loom_partitions
from loom_partitions.limits import MediaLimits
from tests.kit.cases import all_cases

# What a parameter of an error is given, by the type it is declared with.
GIVEN: dict[str, object] = {
    "MediaLimits": MediaLimits(images=3),
    "Headers": [(b"retry-after", b"1")],
    "str": "x",
    "int": 7,
    "float": 0.5,
    "bool": True,
    "Path": Path("a/b"),
    "Any": {"code": "overloaded"},
    "Sequence[str]": ["a", "b"],
}


def classes() -> Iterator[type[Exception]]:
    """Every exception class that Loom and its two siblings define."""
    found: dict[type[Exception], None] = {}
    for package in (loom, loom_paging, loom_partitions):
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
            if module.name.endswith("__main__"):
                continue
            try:
                held = importlib.import_module(module.name)
            except ImportError:  # an extra that is not installed
                continue
            for one in vars(held).values():
                mine = str(getattr(one, "__module__", "")).startswith("loom")
                if mine and isinstance(one, type) and issubclass(one, Exception):
                    found[one] = None
    yield from sorted(found, key=lambda one: f"{one.__module__}.{one.__qualname__}")


def example(kind: type[Exception]) -> Exception:
    """Make an error of a class, with something for each of its parameters."""
    made: Callable[..., Exception] = kind
    if kind.__init__ in (Exception.__init__, loom.LoomError.__init__):
        return made("what was wrong", "and where")
    given: list[Any] = []
    named: dict[str, Any] = {}
    for parameter in inspect.signature(kind.__init__).parameters.values():
        if parameter.name == "self" or parameter.kind in (2, 4):
            continue
        value = GIVEN.get(str(parameter.annotation).split(" | ")[0])
        assert value is not None, f"{kind}: {parameter}"
        if parameter.kind == parameter.KEYWORD_ONLY:
            named[parameter.name] = value
        else:
            given.append(value)
    return made(*given, **named)


@all_cases("kind", list(classes()), ids=lambda kind: kind.__qualname__)
@all_cases("protocol", [2, pickle.HIGHEST_PROTOCOL])
def test_an_error_survives_pickling(kind: type[Exception], protocol: int) -> None:
    """Type, message and fields are the same; so are those of a copy."""
    error = example(kind)
    for again in (pickle.loads(pickle.dumps(error, protocol)), copy.copy(error)):
        assert type(again) is kind
        assert str(again) == str(error) and again.args == error.args
        assert {name: repr(value) for name, value in vars(again).items()} == {
            name: repr(value) for name, value in vars(error).items()
        }


def test_a_worker_of_a_pool_can_raise_one(tmp_path: Path) -> None:
    """Whoever waits for the worker catches the error by its type, and reads its fields."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        waited = pool.submit(loom.open, tmp_path / "w", window=8_192, reply=20_000)
        with pytest.raises(loom.OverCapacity) as raised:
            waited.result()
    assert raised.value.partition in str(raised.value) and raised.value.tokens > 0
