"""Every record type survives JSON, and has its case in the fold."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import json

from loom_partitions import records as r
from loom_partitions.window import CASES, Window

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
    st.register_type_strategy(r.Purged, st.builds(r.Purged, places=st.just({"page": 1})))


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


def test_every_type_has_a_case() -> None:
    """The union and the cases of the fold name the same types."""
    assert set(TYPES) == set(CASES)
