"""One test that runs its function with every case of a table, and fails with all that failed.

`pytest.mark.parametrize` makes a test of each case: a set-up, a row in every report, and a name.
Where the cases are rows of a table they are one test: `all_cases` takes what `parametrize` takes.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import wraps
from typing import Any

import pytest


def all_cases(
    names: str | Sequence[str],
    rows: Iterable[Any],
    ids: Callable[[Any], object] | Iterable[object] | None = None,
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Run a test with every row, each with its own folder; several of these run their product.

    `names` are the arguments a row is for, `ids` what a row is called where it fails.
    """
    wanted = [name.strip() for name in names.split(",")] if isinstance(names, str) else [*names]
    table = [_values(row, len(wanted)) for row in rows]
    assert table, f"no case of {names}"
    named = [*ids] if isinstance(ids, Iterable) else None

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        signature = inspect.signature(test)

        @wraps(test)
        def every_case(**fixtures: Any) -> None:
            failed: list[BaseException] = []
            left: list[BaseException] = []
            for number, row in enumerate(table):
                try:
                    with _fresh(fixtures, number) as own:
                        test(**own, **dict(zip(wanted, row, strict=True)))
                except (pytest.skip.Exception, pytest.xfail.Exception) as reason:
                    left.append(reason)
                except (Exception, pytest.fail.Exception) as error:
                    error.add_note(f"case {named[number] if named else repr(row)[:500]}")
                    failed.append(error)
            if failed:
                raise BaseExceptionGroup(f"{len(failed)} of {len(table)} cases", failed)
            if len(left) == len(table):
                raise left[0]

        rest = [one for name, one in signature.parameters.items() if name not in wanted]
        every_case.__signature__ = signature.replace(parameters=rest)  # type: ignore[attr-defined]
        return every_case

    return decorate


def _values(row: Any, size: int) -> Sequence[Any]:
    if isinstance(row, type(pytest.param())):
        assert not row.marks, "a case with a mark is a test of its own"
        return row.values
    return row if size > 1 else (row,)


@contextmanager
def _fresh(fixtures: dict[str, Any], number: int) -> Iterator[dict[str, Any]]:
    """The fixtures of a test as a case has them: folders of its own, nothing patched or printed.

    A fixture that is made anew for a case has a method `again`, a context manager of the number.
    """
    own = dict(fixtures)
    with ExitStack() as stack:
        for name, value in fixtures.items():
            if name == "tmp_path":
                own[name] = value / str(number)
                own[name].mkdir(exist_ok=True)
            elif name == "folder":
                own[name] = value.parent / str(number) / value.name
                own[name].parent.mkdir(exist_ok=True)
            elif name == "monkeypatch":
                own[name] = stack.enter_context(pytest.MonkeyPatch.context())
            elif name in ("capsys", "capfd"):
                value.readouterr()
            elif hasattr(value, "again"):
                own[name] = stack.enter_context(value.again(number))
        yield own
