"""What a model is asked about a session, which answers are right, what answers its calls."""

from loom_bench.inspecting.questions import is_right, questions_of
from loom_bench.scenarios import SCENARIOS, session_of
from loom_bench.script import SessionScript
from loom_bench.session import PUBLIC, PressureSession
from tests.kit.cases import all_cases


def test_one_of_everything(owing: PressureSession) -> None:
    """Each kind has its question at the end, with the right answer and those that held before."""
    asked = {(one.kind, one.right): one for one in questions_of(owing)}
    assert {kind for kind, _ in asked} == {"fact", "value", "rule", "failing", "passing"}
    assert {one.at for one in asked.values()} == {len(owing.messages)}
    assert asked["value", "9264"].wrong == ("7351",)
    assert asked["passing", "PASSED"].wrong == ("expected 417 rows, got 9031",)
    assert asked["failing", "no page is named Zulu"].wrong == ("PASSED",)
    assert asked["fact", "KEY-44871"].wrong == ()
    assert "vendor/quartz" in asked["rule", "YES"].text


def test_a_fact_is_asked_where_it_is_due(script: SessionScript) -> None:
    """An older value is right as long as it is the newest, and wrong once it is not."""
    first = script.user("The limit is 7351.")
    script.fact("7351", "What is the limit?", first)
    script.need("7351")
    script.says("7351 it is.")
    second = script.user("The limit is 9264 now.")
    script.changes("What is the limit?", [(first, "7351"), (second, "9264")])
    early, late = questions_of(script.session())
    assert (early.kind, early.at, early.right, early.wrong) == ("fact", 1, "7351", ())
    assert (late.kind, late.right, late.wrong) == ("value", "9264", ("7351",))


@all_cases("scenario", SCENARIOS.built())
def test_every_scenario(scenario: str) -> None:
    """The questions are the same each time, as many as are asked for; each answers itself."""
    session = session_of(scenario, 1, PUBLIC)
    asked = questions_of(session)
    assert questions_of(session_of(scenario, 1, PUBLIC)) == asked
    few = questions_of(session, 4)
    assert len(few) == min(4, len(asked)) and set(few) <= set(asked)
    moments = set(session.moments())
    for one in asked:
        assert one.at in moments
        assert is_right(one, f"It is\n{one.right}.") and not is_right(one, "UNKNOWN")
        # The words that answer the others stand in their questions.
        assert one.kind not in ("fact", "value", "failing") or not is_right(one, one.text)
