from loom.reduce.decided import SCANNED, chosen_at
from tests.kit.cases import all_cases


@all_cases(
    "text",
    [
        "", "The file is large.", "Let me look at the tests first instead of guessing.",
        "Now I'll run the tests.", "I need to check the parser.", "I will read the file.",
        "I decided to look at the tests first.", "I'll use grep to find it.", "I'll use that.",
        "I'm going for a quick check of the logs.", "I picked up where we left off.",
        "Falls back to the default instead of failing.", "It now uses the root rather than cwd.",
        "| a.go | uses the root instead of cwd |", "Let's keep going.", "I switched to a branch.",
    ],
)  # fmt: skip
def test_what_is_done_next_or_only_told_is_no_decision(text: str) -> None:
    """The next action, and how something behaves, are no choice of the agent."""
    assert chosen_at(text) < 0


@all_cases(
    "text",
    [
        "Should we use X instead of Y?", "We could use X instead of Y.", "I have not decided yet.",
        "If you agree, I'll use X instead of Y.", "I'd recommend going with SQLite.",
        "Let me know whether we go with A or B.", "Whether we go with A is still open.",
        "The decision is pending.", "I'll go with whatever you decide.", "You chose SQLite.",
        "The user decided to keep it.", "Option A: use X rather than Y.",
    ],
)  # fmt: skip
def test_what_is_open_asked_for_or_of_somebody_else_is_no_decision(text: str) -> None:
    """A proposal, a condition, a question and the user's choice are not the agent's decision."""
    assert chosen_at(text) < 0


@all_cases(
    "text",
    [
        "I decided to use SQLite.", "Decision: the cache uses SQLite.", "**Decision:** keep it",
        "We go with SQLite for the cache; it is the safer bet.", "Going with SQLite",
        "I'll use X instead of Y", "Let's keep the old flag.", "I've ruled out threads.",
        "After comparing both, we chose Postgres because of its types.",
        "For the cache I now use Redis instead of SQLite; SQLite blocked.",
        "SQLite turned out too slow, so the cache will use Redis rather than SQLite.",
        "Changed course on the cache: Redis replaces SQLite.", "I no longer use the cache",
        "Instead of a lock, I'll use a queue.",
        "I'll pass the strategy as a parameter instead.",
        "I'll drop the flag but keep the file.",
        "I'll keep the parser pure, so that it can be run"
        " alone; it is simpler.", "改用缓存", "キャッシュを使うことにしました",
        "Wir haben uns für SQLite entschieden.", "J'ai choisi SQLite.",
    ],
)  # fmt: skip
def test_a_choice_between_things_is_a_decision(text: str) -> None:
    """What was chosen, by a word of choice, against another thing, or with its reason."""
    assert chosen_at(text) >= 0


@all_cases("unit", ["we now a ", "I'll use a ", "instead of ", "decision ", "I "])
def test_a_long_sentence_is_looked_at_to_a_bound(unit: str) -> None:
    """Only the head of a sentence without an end is looked at."""
    assert chosen_at(unit * 100_000) == chosen_at((unit * 100_000)[:SCANNED])
