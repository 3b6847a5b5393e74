import json
from typing import Any

from loom.cli.demo.agent import Move, Script, ScriptedAgent, SeenResult, seen
from loom.cli.demo.script import place_of
from tests.kit.cases import all_cases


@all_cases(
    ("recalled", "place"),
    [
        ("", ""),
        ("nothing holds def class heappush", ""),
        ("outputs/read_0003.txt\n  4: heappush(heap, item)", ""),
        ("outputs/read_0003.txt\n  4: def heappush(heap, item):", "outputs/read_0003.txt"),
        ("step_0004\n  1: heappush\nstep_0005\n  9: def heappush(a):", "step_0005"),
        ("step_0004\n  1: def heappushpop(heap):", ""),
    ],
)
def test_a_place_is_one_that_holds_the_definition(recalled: str, place: str) -> None:
    """Of what recall tells, the place whose lines define the name; none is an answer too."""
    assert place_of("heappush", recalled) == place


def tool(id: str, text: str) -> dict[str, Any]:
    """A tool message as Chat Completions has it."""
    return {"role": "tool", "tool_call_id": id, "content": text}


def test_nothing_asked_is_nothing_seen() -> None:
    """Without calls there is nothing to look for in a request."""
    assert seen([tool("c", "text")], ()) == ()


def test_a_whole_result_is_seen_as_it_is() -> None:
    """The result of a call, by its id, in the order of the calls."""
    messages = [tool("a", "one"), tool("b", "two")]
    assert seen(messages, ("b", "a")) == (SeenResult("two"), SeenResult("one"))


def test_a_preview_names_its_page() -> None:
    """A shortened result says where the whole rests."""
    text = "head\n… 900 of 1,000 bytes rest in outputs/read_0007.txt\ntail"
    assert seen([tool("a", text)], ("a",)) == (SeenResult(text, "outputs/read_0007.txt"),)


def test_a_result_that_became_a_line_is_gone() -> None:
    """Of a lowered step the newest page named is what is left."""
    line = "step_0001 Read a → outputs/read_0001.txt\nstep_0002 Read b → outputs/read_0002.txt\n"
    (left,) = seen([{"role": "user", "content": line}], ("b",))
    assert left == SeenResult("", "outputs/read_0002.txt", gone=True)


def test_the_script_is_sent_what_the_request_shows() -> None:
    """The agent passes results on and gives every call an id of its own."""
    got: list[tuple[SeenResult, ...]] = []

    def script() -> Script:
        got.append((yield Move("first", (("read_file", {"path": "a"}), ("grep", {})))))
        yield Move("done")

    agent = ScriptedAgent(script)
    first = agent.reply([])
    ids = [call.id for call in first.calls]
    assert len(set(ids)) == 2 and json.loads(first.calls[0].arguments) == {"path": "a"}
    last = agent.reply([tool(ids[0], "A"), tool(ids[1], "B")])
    assert got == [(SeenResult("A"), SeenResult("B"))] and last.calls == ()
