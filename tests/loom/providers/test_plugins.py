"""Formats that come by entry point, from a distribution that is really installed."""

import re
from pathlib import Path

from tests.kit.installed import installed, printed

PACKAGE = """
from loom.inputs import Reply, Speech
from loom.providers.formats import Encoder, Format

class Plain(Encoder):
    key = "lines"
    def add(self, message):
        self.messages.append({"who": message.role})

class Gathered:
    done = False
    def __init__(self):
        self.said = ""
    def take(self, chunk):
        self.said, self.done = self.said + chunk["bit"], chunk["last"]
    def reply(self):
        return {"utterance": self.said}

def arguments(request, asked):
    request["most"] = asked.max_tokens

FORMAT = Format(
    name="acme",
    accepted="an utterance",
    accepts=lambda value: isinstance(value, dict) and "utterance" in value,
    decode=lambda reply: Reply((Speech(reply["utterance"] + ""),)),
    streamed="a bit",
    begins=lambda chunk: isinstance(chunk, dict) and "bit" in chunk,
    collector=Gathered,
    encoder=Plain,
    tool=lambda tool: {"does": tool.name},
    arguments=arguments,
    ended=lambda value: "length" if value.get("cut") else "",
)
OTHER = object()
"""
ENTRIES = """
[loom.formats]
acme = acme:FORMAT
openai = acme:FORMAT
broken = acme_gone:FORMAT
odd = acme:OTHER
"""


READ = """
bare = loom.Policy(own_tools=False)
with loom.open("w", tools=[{"name": "find"}], policy=bare, durable=False) as ctx:
    ctx.user("hi")
    before = "acme" in sys.modules
    own = ctx.turn().request("openai")
    unread = "acme" in sys.modules
    request = ctx.turn().request("acme")
    ctx.reply({"utterance": "one"})
    done = ctx.done
    ctx.reply({"utterance": "half of", "cut": True})
    whole = ctx.done
    left = ctx.tools.without_own({"utterance": "so"}).parts[0].text
    ctx.user("more")
    ctx.turn()
    list(ctx.collect([{"bit": "tw", "last": False}, {"bit": "o", "last": True}]))
    spoken = [m["content"] for m in ctx.turn().request()["messages"] if m["role"] == "assistant"]
print(json.dumps(dict(request=request, own=list(own), loaded=[before, unread], spoken=spoken,
                       done=[done, whole], left=left)))
"""
REFUSED = """
from loom.providers.formats import collector_for, decode
said = {}
with loom.open("w", durable=False) as ctx:
    ctx.user("hi")
    for name in ("broken", "odd", "none"):
        try:
            ctx.turn().request(name)
        except loom.LoomError as error:
            said[name] = f"{type(error).__name__}: {error}"
    for name, call in {
        "raises": lambda: ctx.reply({"utterance": []}),
        "listed": lambda: ctx.sync([], format="acme"),
    }.items():
        try:
            call()
        except loom.LoomError as error:
            said[name] = f"{type(error).__name__}: {error}"
for read in (decode, collector_for):
    try:
        read({"odd": 1})
    except loom.BadInput as error:
        said[read.__name__] = str(error)
print(json.dumps(said))
"""


def test_requests_and_replies_of_a_format_from_outside(tmp_path: Path) -> None:
    """It writes requests, reads replies, whole and streamed, and takes no name of Loom's."""
    found = printed(installed(tmp_path / "site", PACKAGE, ENTRIES), READ)
    request = found["request"]
    assert request["tools"] == [{"does": "find"}]
    assert {"who": "user"} in request["lines"] and request["most"] > 0
    assert found["own"] == ["messages", "tools", "max_completion_tokens", "prompt_cache_key"]
    assert found["loaded"] == [False, False]
    assert found["spoken"] == ["one", "half of", "two"]
    assert found["done"] == [True, False] and found["left"] == "so"


def test_one_that_cannot_be_used_is_told_by_name(tmp_path: Path) -> None:
    """A plug-in that fails is an error of its own, a format nobody has is none of Loom's, and what
    no format reads is refused with the plug-ins there are, the unusable with their reason."""
    found = printed(installed(tmp_path / "site", PACKAGE, ENTRIES), REFUSED)
    broken = "'broken' of loom.formats"
    for name, said in {
        "broken": f"LoomError: .*{broken} cannot be used: ModuleNotFoundError",
        "odd": "LoomError: .*'odd' of loom.formats cannot be used: acme:OTHER is no Format",
        "none": "BadInput: .*no format 'none'; there are openai, responses, anthropic,",
        "raises": "LoomError: .*'acme' of loom.formats cannot be used: its decode raised TypeError",
        "listed": "BadInput: the format 'acme' has no `listing`",
        "decode": f"an utterance.*{broken}",
        "collector_for": f"a bit.*{broken}",
    }.items():
        assert re.search(said, found[name]), found[name]
