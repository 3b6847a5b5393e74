from loom.reduce.planned import LEAST, MOST, planned
from tests.kit.cases import all_cases


def steps(text: str) -> list[str]:
    """The steps of the plans a text announces."""
    return [step for _, step in planned(text)]


@all_cases(
    "text",
    [
        "", "The plan is complete.", "Next, I run it.", "Plan updated.", "Remaining tasks are few.",
        "Plan:\n1. Only one step", "Here is what I found:\n1. one\n2. two", "- a\n- b\n- c",
        "Next in the stack is the parser.", "Steps to reproduce:\n1. a\n2. b",
        "What next?\n1. this\n2. that", "Next I'll read it. The tests ran, then failed.",
    ],
)  # fmt: skip
def test_a_word_about_a_plan_or_a_next_action_is_no_plan(text: str) -> None:
    """A plan has two steps and a head that announces them."""
    assert steps(text) == []


@all_cases(
    ("text", "told"),
    [
        ("Plan:\n1. read\n2. write", ["1. read", "2. write"]),
        ("Good.\n\n## Next steps\n\n- read\n  in full\n- write\n\nDone.", ["read", "write"]),
        ("Here's the plan:\n\n1. read\n\n2. write", ["1. read", "2. write"]),
        ("I'll do the following:\n* read\n* write", ["read", "write"]),
        ("[x] read\n[ ] write", ["[x] read", "[ ] write"]),
        ("Next, I'll read it, then write it.", ["Next, I'll read it, then write it."]),
        ("下一步：\n1. 读\n2. 写", ["1. 读", "2. 写"]),
    ],
)
def test_the_steps_of_an_announced_plan(text: str, told: list[str]) -> None:
    """Each step with its number or box, without what stands indented under it."""
    assert steps(text) == told


def test_steps_stand_where_they_were() -> None:
    """The place of a step is that of its line; a list is bounded."""
    text = "Plan:\n" + "".join(f"{n}. step\n" for n in range(1, 40))
    found = list(planned(text))
    assert LEAST < len(found) == MOST
    assert all(text[at:].startswith(step) for at, step in found)
