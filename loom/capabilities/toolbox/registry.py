"""The tools an agent has: those declared to the model, and those the model finds when it looks.

A provider takes calls of declared tools alone, and a declaration costs tokens in every request and
a cut of the cached prefix when it comes late. So a found tool is called through one declared tool,
the gateway `call_tool`: the host sees the call that is meant (`Context.calls`), and its result is
reduced by the rules of the found tool. Loom answers a call of the gateway itself only where there
is no such tool.

Search counts the words a tool shares with the query; a word counts more the fewer tools have it. A
word of the query that begins as a word of the tool does counts half: "deleting" finds "delete"."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeAlias

from msgspec import Struct, json

from loom.capabilities.toolbox.descriptor import FUNCTION, ToolDescriptor, tool_refused, tool_schema
from loom.capability import Answer, Capability, Executed, OwnTool, arguments_of, own_tool
from loom.context import Loop
from loom.errors import BadInput, LoomError, NoRunner, quoted_name, similar_names_hint
from loom.inputs import ToolCall
from loom.providers.schema import ToolSchema, wrong_argument
from loom.redact import SECRETS, Rules
from loom.reduce.arguments import GATEWAY, call_behind_gateway
from loom.session.tools.answer import OBJECT, TEXT, answer_reduction
from loom.session.working_edits import WorkingEdits
from loom.text import encodable, one_line, provider_tool_name
from loom_partitions.message import Call

Run: TypeAlias = Callable[..., object]  # of the arguments; see Tool
Approve: TypeAlias = Callable[[ToolDescriptor, dict[str, Any]], bool | str]

EVERYTHING = ("", "?")
FIND = "find_tool finds more, by words for what they do"
UNASKED = "it needs an approval, and there is nobody to ask"
UNSAID = "it was not approved"
NAME_WEIGHT = 3  # a word of a name counts as so many of a description
PART = 0.5  # what a word counts that only begins alike
LEAST = 4  # letters two such words share
DETAILED = 8  # tools described in full; more of them get a line each
LINE = 160  # characters of that line


class Tool(Struct, frozen=True):
    """A tool and its function. `run` takes the arguments as a dict and returns a RunResult or a
    JSON value. If `run` is None, the host runs the tool.

    `keeps` means that the tool stores results on disk. `run` then gets a second argument, the rules
    by which secrets in stored results are replaced."""

    descriptor: ToolDescriptor
    run: Run | None = None
    keeps: bool = False


class Toolbox(Capability):
    """A collection of tools by name, in the order added. Names that providers receive as the same
    name count as one name.

    Tools of level 1 are declared to the model; the model finds others with `find_tool` and calls
    them with `call_tool`. `Context.run` runs a call of any of the tools.

    `approve` is called with a tool's descriptor and arguments before a tool that requires approval
    runs, and returns True to allow the run, else False or a reason. Without `approve` such tools
    never run.

        >>> box, schema = loom.Toolbox(), {"properties": {"of": {"type": "array"}}}
        >>> adder = loom.ToolDescriptor("add", "Add numbers.", schema)
        >>> box.add(adder, lambda arguments: sum(arguments["of"]))
        >>> box.execute("add", {"of": [1, 2]})
        3"""

    name = "toolbox"
    shared = True

    def __init__(self, approve: Approve | None = None) -> None:
        self.approve = approve
        self._tools: dict[str, Tool] = {}

    def __len__(self) -> int:
        return len(self._tools)

    def add(
        self, descriptor: ToolDescriptor, run: Run | None = None, *, keeps: bool = False
    ) -> None:
        """Add a tool; `run` is its function (see `Tool`). Raises BadInput for a taken name."""
        key = provider_tool_name(descriptor.name)
        taken = self._tools.get(key)
        if taken is not None:
            name, held = descriptor.name, taken.descriptor.name
            same = "" if name == held else f" ({held!r} is sent to providers under the same name)"
            raise BadInput(f"there is a tool {name!r} already{same}: give this one another name")
        self._tools[key] = Tool(descriptor, run, keeps)

    def get(self, name: str) -> Tool:
        """Return the tool called `name`, given as it was added or as providers receive it. Raises
        BadInput for an unknown name."""
        tool = self._tools.get(provider_tool_name(name))
        if tool is None:
            known = [held.descriptor.name for held in self._tools.values()]
            more = f"; {FIND}" if self.findable else ""
            raise BadInput(f"no tool {quoted_name(name)}; {similar_names_hint(name, known)}{more}")
        return tool

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and provider_tool_name(name) in self._tools

    @property
    def findable(self) -> bool:
        """Return True if some tools are of level 2 or 3, which the model has to find."""
        return any(one.level != FUNCTION for one in self._descriptors())

    def execute(self, name: str, arguments: dict[str, Any], redact: Rules = SECRETS) -> object:
        """Run a tool and return what its function returns. Secrets in stored results are replaced
        by the rules `redact`.

        Raises BadInput for an unknown name, NoRunner for a tool that the host runs, LoomError for
        invalid arguments or a missing approval, and whatever the function raises."""
        tool = self.get(name)
        if tool.run is None:
            raise NoRunner(tool.descriptor.name)
        if wrong := wrong_argument(tool.descriptor.parameters_schema, arguments):
            raise tool_refused(tool.descriptor.name, wrong, "call it again so")
        if tool.descriptor.requires_approval:
            self.check_approved(tool.descriptor, arguments)
        return tool.run(arguments, redact) if tool.keeps else tool.run(arguments)

    def check_approved(self, tool: ToolDescriptor, arguments: dict[str, Any]) -> None:
        """Call `approve` for a run of a tool. Raises LoomError unless it allows the run."""
        said = self.approve(tool, arguments) if self.approve else UNASKED
        if said is not True:
            why = said if isinstance(said, str) and said else UNSAID
            raise tool_refused(tool.name, why, "do it another way, or ask the user")

    def declared(self) -> tuple[ToolSchema, ...]:
        """Return the schemas of the level 1 tools, in the order added."""
        return tuple(tool_schema(one) for one in self._descriptors() if one.level == FUNCTION)

    def find(self, words: str, limit: int = 5) -> tuple[ToolDescriptor, ...]:
        """Return at most `limit` tools of any level that fit `words`, best first; a tool whose name
        is exactly `words` comes first. "" and "?" return all tools of level 2 and 3."""
        wanted = words.strip()
        if wanted in EVERYTHING:
            return tuple(one for one in self._descriptors() if one.level != FUNCTION)
        from loom.search.terms import sought_terms

        words_of = {key: _word_counts(tool.descriptor) for key, tool in list(self._tools.items())}
        scores: dict[str, float] = {}
        spoken = sought_terms(wanted)
        for word in (*spoken.words, *spoken.names):
            counts = {
                key: count for key, held in words_of.items() if (count := _word_score(held, word))
            }
            rarity = math.log(1 + (len(words_of) - len(counts) + 0.5) / (len(counts) + 0.5))
            for key, count in counts.items():
                scores[key] = scores.get(key, 0.0) + rarity * count
        exact = provider_tool_name(wanted)
        if exact in self._tools:
            scores[exact] = math.inf
        best = sorted(scores, key=lambda key: -scores[key])  # stable: equal ones as added
        return tuple(self._tools[key].descriptor for key in best[: max(limit, 0)])

    def described(self, found: Iterable[ToolDescriptor], through: str = "call_tool") -> str:
        """Return a text for the model that describes the tools `found`: a paragraph for each tool,
        or for more than DETAILED tools a line each. `through` is the declared tool by which the
        model calls tools of level 2 and 3."""
        given = tuple(found)
        if not given:
            return 'no such tool: other words may find one, "?" lists all'
        if len(given) > DETAILED:
            lines = (f"{one.name} (level {one.level}): {one.description}" for one in given)
            return "\n".join(one_line(line, LINE) for line in lines)
        return "\n\n".join(_tool_paragraph(one, through) for one in given)

    @property
    def tools(self) -> Sequence[OwnTool]:
        """Return Loom's tools `find_tool` and `call_tool`, always both. The model is given these
        tools only if the toolbox is `findable`."""
        return (
            own_tool(
                "find_tool",
                'Find more tools, for call_tool, by words for what they do; "?" lists all.',
                {"words": TEXT},
                self._answer_find_tool,
                offered=self.findable,
            ),
            own_tool(
                GATEWAY,
                "Call a tool that find_tool told of.",
                {"name": TEXT, "arguments": OBJECT},
                self._refuse_gateway_call,
                optional=("arguments",),
                offered=self.findable,
                within=self._inner_call,
            ),
        )

    def _answer_find_tool(
        self, edits: WorkingEdits, arguments: dict[str, Any], limit: int
    ) -> Answer:
        """Return the answer to a call of `find_tool`, at most `limit` characters."""
        words = str(arguments["words"])
        self._check_has_tools()
        found = self.find(words)
        said = f"Looked for tools for '{one_line(words, 80)}': {len(found)} found"
        text = self.described(found, GATEWAY)
        return Answer(text[:limit], answer_reduction("find_tool", {"words": words[:100]}, said))

    def _refuse_gateway_call(
        self, edits: WorkingEdits, arguments: dict[str, Any], limit: int
    ) -> Answer:
        """Raise BadInput for a call of `call_tool` that names no known tool or whose `arguments`
        are no object. Valid calls are run as calls of the named tool."""
        self._check_has_tools()
        name = self.get(str(arguments["name"])).descriptor.name
        raise BadInput(f"`arguments` are those of {one_line(name, 80)}, as an object")

    def _check_has_tools(self) -> None:
        """Raise LoomError if the toolbox has no tools."""
        if not self._tools:  # by an earlier opening the two may stand in the window
            raise LoomError("this agent has no more tools than those declared")

    def _inner_call(self, call: Call | ToolCall) -> ToolCall | None:
        """Return the call of this toolbox's tool that a call of `call_tool` stands for, or None."""
        name, arguments = call_behind_gateway(call.name, call.arguments)
        if call.name == name or name not in self:
            return None
        return ToolCall(call.id, self.get(name).descriptor.name, arguments)

    def run(self, call: Call, context: Loop) -> Executed | None:
        """Run the call and return the result; None if the host has to run the call."""
        from loom.capabilities.toolbox.limited_runs import RunResult

        if call.name not in self or self.get(call.name).run is None:
            return None
        given = self.execute(call.name, arguments_of(call), context._engine.redactor.patterns)
        if isinstance(given, RunResult):
            return Executed(given, given.text, not given.ok)
        return Executed(given, given)

    def _descriptors(self) -> list[ToolDescriptor]:
        return [tool.descriptor for tool in list(self._tools.values())]


def _word_counts(descriptor: ToolDescriptor) -> Counter[str]:
    """Return how often each word occurs in a tool's name, description and parameter names. A word
    of the name counts NAME_WEIGHT times."""
    from loom.search.terms import index_terms

    properties = descriptor.parameters_schema.get("properties")
    names = " ".join(map(str, properties)) if isinstance(properties, dict) else ""
    counts: Counter[str] = Counter()
    for text in (*[descriptor.name] * NAME_WEIGHT, descriptor.description, names):
        found = index_terms(text)
        counts.update((*found.words, *found.names))
    return counts


def _word_score(counts: Counter[str], word: str) -> float:
    """Return the count of `word`, or if 0, PART times the highest count of a word that begins
    alike."""
    alike = (count for one, count in counts.items() if _begin_alike(one, word))
    return counts[word] or PART * max(alike, default=0)


def _begin_alike(one: str, other: str) -> bool:
    """Return True if two words share their first LEAST letters and all but the last letter of the
    shorter word: "delete" and "deleting"."""
    shared = max(LEAST, min(len(one), len(other)) - 1)
    return one[:shared] == other[:shared]


def _tool_paragraph(tool: ToolDescriptor, through: str) -> str:
    """Return a text for the model that describes a tool and says how to call it."""
    parameters = json.encode(tool.parameters_schema).decode()
    call = f'"name": "{tool.name}", "arguments": {{…}}'
    how = "by its name" if tool.level == FUNCTION else f"{through} with {{{call}}}"
    return "\n".join(
        [
            f"{tool.name} (level {tool.level})",
            encodable(tool.description).strip() or "(no description)",
            f"parameters: {parameters}",
            f"approval: {'needed for every call' if tool.requires_approval else 'not needed'}",
            f"call: {how}",
        ]
    )
