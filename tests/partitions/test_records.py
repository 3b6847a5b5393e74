"""Every record type survives JSON, and has its case in the fold."""

from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import json

from loom_partitions import records as r
from loom_partitions import window
from loom_partitions.window import CASES, QUIET, SEVERAL, Window, apply

TYPES = get_args(r.Record)


@pytest.fixture(scope="module", autouse=True)
def held_by_json() -> None:
    """Values that a journal can hold, for the types of fields."""
    st.register_type_strategy(int, st.integers(-(2**63), 2**63 - 1))
    st.register_type_strategy(float, st.floats(allow_nan=False, allow_infinity=False))
    st.register_type_strategy(str, st.text(st.characters(codec="utf-8"), max_size=9))
    st.register_type_strategy(Window, st.just(Window()))
    # What no type tells: any value, and a member that is made anew where it is not given.
    st.register_type_strategy(r.Opened, st.builds(r.Opened, policy=st.just({"preset": "lazy"})))


@pytest.mark.parametrize("kind", TYPES)
@settings(suppress_health_check=list(HealthCheck), max_examples=8, deadline=None)
@given(data=st.data())
def test_json(kind: type, data: st.DataObject) -> None:
    """A record written and read back is equal, and of its own type."""
    record: Any = data.draw(st.from_type(kind))
    written = json.encode(record)
    back = json.decode(written, type=r.Record)
    assert type(back) is type(record)
    assert back == record
    assert json.encode(back) == written


def changed_by(kind: type) -> tuple[str, ...]:
    """The parts of a window that a record may change, in their order."""
    parts = {*dict(CASES[kind]), *(SEVERAL[kind][0] if kind in SEVERAL else ())}
    return tuple(name for name in Window.__struct_fields__ if name in parts)


def test_the_table_is_what_the_fold_does() -> None:
    """At the head of the module: records, and the parts of the window they may change."""
    rows: dict[tuple[str, ...], list[str]] = {}
    for kind in sorted(CASES, key=lambda kind: kind.__name__):
        rows.setdefault(changed_by(kind), []).append(kind.__name__)
    table = "\n".join(
        f"    {' '.join(rows[parts])} → {' '.join(parts) or 'nothing'}"
        for parts in sorted(rows, key=lambda parts: (len(parts), parts))
    )
    assert f"\n\n{table}\n\n" in str(window.__doc__), table


@given(data=st.data())
@settings(suppress_health_check=list(HealthCheck), deadline=None)
def test_every_record_changes_what_its_row_names(
    lived: st.SearchStrategy[list[r.Record]], data: st.DataObject
) -> None:
    """In any life no record touches another part, but `sent` where a request stood."""
    before = Window()
    for record in data.draw(lived):
        after = apply(before, record)
        ends = before.sent.turned and type(record) not in QUIET
        may = {*changed_by(type(record)), *(("sent",) if ends else ())}
        rest = {*Window.__struct_fields__} - may
        assert all(getattr(after, name) == getattr(before, name) for name in rest), record
        before = after
