"""One test that runs its function with every case of a table, and fails with all that failed.

`pytest.mark.parametrize` makes a test of each case: a row in every report, a name, a set-up and a
report to the process that gathers them. Where the cases are rows of a table they are one test:
`all_cases` takes what `parametrize` takes, and each case has fixtures of its own as there.

Where cases are dear, `some` of them are tried, `each_value` of several axes or `all_pairs` of their
values, and every one of them by `make simulate`.
"""

import inspect
import os
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from itertools import combinations, product
from typing import Any

import pytest

SIMULATED = os.environ.get("HYPOTHESIS_PROFILE") == "simulate"
# A case: its arguments by name, and what it is called where it fails.
Case = tuple[dict[str, Any], str]


def all_cases(
    names: str | Sequence[str],
    rows: Iterable[Any],
    ids: Callable[[Any], object] | Iterable[object] | None = None,
    *,
    fresh: bool = True,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test with every row; several of these run every combination of their rows.

    `names` are the arguments a row is for, `ids` what a row is called where it fails. Where cases
    only look at what the fixtures made, `fresh` is false: it is made once.
    """
    wanted = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]
    table = [_values(row, len(wanted)) for row in rows]
    assert table, f"no case of {names}"
    called = [*ids] if isinstance(ids, Iterable) else [repr(row)[:500] for row in table]
    own: list[Case] = [
        (dict(zip(wanted, row, strict=True)), str(name))
        for row, name in zip(table, called, strict=True)
    ]

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        inner, others = getattr(test, "cases", (test, [({}, "")]))
        every = [({**a, **b}, f"{one} {two}") for (a, one), (b, two) in product(own, others)]
        return _running(inner, every, fresh)

    return decorate


def _running(test: Callable[..., None], every: list[Case], fresh: bool) -> Callable[..., None]:
    """The test of all cases. Only where it has fixtures it asks for the request they are of."""
    signature = inspect.signature(test)
    rest = [one for name, one in signature.parameters.items() if name not in every[0][0]]
    asks = fresh and bool(rest) and "request" not in signature.parameters

    @wraps(test)
    def every_case(**fixtures: Any) -> None:
        failed: list[BaseException] = []
        left: list[BaseException] = []
        request = fixtures.pop("request") if asks else fixtures.get("request")
        for number, (given, name) in enumerate(every):
            try:
                if number and fresh and request:
                    fixtures = _fresh(request, fixtures)
                test(**fixtures, **given)
            except (pytest.skip.Exception, pytest.xfail.Exception) as reason:
                left.append(reason)
            except (Exception, pytest.fail.Exception) as error:
                error.add_note(f"case {name}")
                failed.append(error)
        if failed:
            raise BaseExceptionGroup(f"{len(failed)} of {len(every)} cases", failed)
        if len(left) == len(every):
            raise left[0]

    more = [inspect.Parameter("request", inspect.Parameter.KEYWORD_ONLY)] if asks else []
    every_case.__signature__ = signature.replace(parameters=rest + more)
    every_case.cases = (test, every)
    return every_case


def _values(row: Any, size: int) -> Sequence[Any]:
    if isinstance(row, type(pytest.param())):
        assert not row.marks, "a case with a mark is a test of its own"
        return row.values
    return row if size > 1 else (row,)


def _fresh(request: Any, fixtures: dict[str, Any]) -> dict[str, Any]:
    """End the fixtures of the case before and make those of a test anew, as pytest does for each.

    pytest has no public way to do so: this is what its runner does between two tests.
    """
    item = request._pyfuncitem
    top = item._request
    ended = [
        one
        for name, one in top._fixture_defs.items()
        if name != "request" and one.scope == "function"
    ]
    for one in reversed(ended):
        if one.argname == "tmp_path":  # its end asks how the test went, which nobody knows yet
            one._finalizers.clear()
        one.finish(top)
        del top._fixture_defs[one.argname]
        item.funcargs.pop(one.argname, None)
    top._fillfixtures()
    return {name: item.funcargs[name] for name in fixtures}


def some(rows: Iterable[Any], count: int) -> list[Any]:
    """So many of the rows, from the first to the last; all of them by `make simulate`."""
    whole = [*rows]
    if SIMULATED or count >= len(whole):
        return whole
    return [whole[at * (len(whole) - 1) // max(count - 1, 1)] for at in range(count)]


def each_value(*axes: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Rows in which each value of each axis stands; every combination by `make simulate`."""
    whole = [[*axis] for axis in axes]
    if SIMULATED:
        return [*product(*whole)]
    return [tuple(one[at % len(one)] for one in whole) for at in range(max(map(len, whole)))]


def all_pairs(*axes: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Rows in which each two values of two axes stand together; by `make simulate` every
    combination. The row that has most pairs that are new comes next."""
    values = [[*axis] for axis in axes]
    whole = [*product(*(range(len(one)) for one in values))]
    missing = {pair for row in whole for pair in combinations(enumerate(row), 2)}
    rows = whole if SIMULATED else []
    while missing and not SIMULATED:
        rows.append(max(whole, key=lambda row: len(missing & {*combinations(enumerate(row), 2)})))
        missing -= {*combinations(enumerate(rows[-1]), 2)}
    return [tuple(axis[at] for axis, at in zip(values, row, strict=True)) for row in rows]
