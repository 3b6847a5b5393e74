"""The vocabularies that scenarios plant from."""

import pytest

from loom_bench.scenarios.handover import WORDING as STANDING
from loom_bench.scenarios.languages import TONGUES
from loom_bench.scenarios.planter import PLANTED_WORDS, FactPlanter
from loom_bench.scenarios.short import WORDING
from loom_bench.script import SessionScript
from loom_bench.session import HALVES, PUBLIC
from tests.kit.cases import all_cases
from tests.kit.owed import content

GRAMMAR = {"never", "get", "since", "ist"}  # words that both halves need
TABLES = zip(PLANTED_WORDS, STANDING, WORDING, TONGUES, strict=True)


def test_the_halves_share_no_word() -> None:
    """No word of content of either half's tables, of any language, stands in the other's."""
    public, held_out = map(content, TABLES)
    assert len(public) > 300 < len(held_out)
    assert public & held_out <= GRAMMAR


@pytest.mark.parametrize("half", HALVES)
def test_no_value_holds_another(half: str) -> None:
    """Of a hundred facts none is found by looking for another, and no subject comes twice."""
    planter = FactPlanter(SessionScript("any", 1, half))
    facts = planter.facts(100)
    values = [fact.value for fact in facts]
    assert len({fact.subject for fact in facts}) == 100
    assert not any(a in b for at, a in enumerate(values) for b in values[:at] + values[at + 1 :])


@pytest.mark.parametrize("half", HALVES)
def test_each_kind_is_said_in_several_ways(half: str) -> None:
    """Every template of every kind holds what it has to, and a value is in no question of it."""
    planter = FactPlanter(SessionScript("any", 2, half))
    for kind in planter.words.kinds:
        fact = planter.fresh(kind)
        assert len(kind.sayings) >= 3
        for saying in kind.sayings:
            assert fact.value in fact.fill(saying) and fact.subject in fact.fill(saying)
        for question in (*kind.questions, *kind.tasks):
            assert fact.subject in fact.fill(question) and fact.value not in fact.fill(question)


@all_cases("shape", ["log", "json", "prose", "code", "table"])
@all_cases("place", [0.0, 0.5, 1.0])
def test_a_result_holds_its_fact_where_it_is_put(shape: str, place: float) -> None:
    """At the head, in the middle or at the end of a text of any shape; once."""
    planter = FactPlanter(SessionScript("any", 3, PUBLIC))
    fact = planter.fresh()
    _, _, text = planter.result(shape, 3_000, fact, place)
    assert text.count(fact.value) == 1
    assert abs(text.index(fact.value) / len(text) - place) < 0.1
    assert fact.value not in planter.result(shape, 3_000)[2]
