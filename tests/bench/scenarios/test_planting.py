"""The vocabularies that scenarios plant from."""

import pytest

from loom_bench.scenarios.changing import WORDING as STANDING
from loom_bench.scenarios.facts import TONGUES, WORDS
from loom_bench.scenarios.planter import PLANTED_WORDS, FactPlanter
from loom_bench.script import SessionScript
from loom_bench.session import HALVES
from tests.kit.owed import content

GRAMMAR = {"never", "get", "since", "ist"}  # words that both halves need
HAUL = [[WORDS[use][half] for use in ("rule", "brief")] for half in (0, 1)]
TABLES = zip(PLANTED_WORDS, STANDING, HAUL, TONGUES, strict=True)


def test_the_halves_share_no_word() -> None:
    """No word of content of either half's tables, of any language, stands in the other's."""
    public, held_out = map(content, TABLES)
    assert len(public) > 300 < len(held_out)
    assert public & held_out <= GRAMMAR


@pytest.mark.parametrize("half", HALVES)
def test_no_value_holds_another(half: str) -> None:
    """Of a hundred facts none is found by looking for another, and no subject comes twice."""
    facts = FactPlanter(SessionScript("any", 1, half)).facts(100)
    values = [fact.value for fact in facts]
    assert len({fact.subject for fact in facts}) == 100
    assert not any(a in b for at, a in enumerate(values) for b in values[:at] + values[at + 1 :])
