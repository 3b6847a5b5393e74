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
    """A tool and the function that runs it; `run` is None where the host runs the tool.

    `run` returns a RunResult, or anything JSON can hold. With `keeps` True the tool keeps results
    on disk, and `run` is given, after the arguments, the rules by which secrets are replaced there.
    """

    descriptor: ToolDescriptor
    run: Run | None = None
    keeps: bool = False


class Toolbox(Capability):
    """Tools by name, in the order of adding. Two names that providers are sent alike count as one.

    Tools of level 1 are declared; the model finds the others with `find_tool` and calls them with
    `call_tool`; `Context.run` runs any call.

    `approve` is called with the tool and its arguments before a tool that requires approval is run.
    It returns True, or False or a reason. Without `approve` no such tool is run.

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
        """Add a tool; `run` takes its arguments (see `Tool`). Raises BadInput for a taken name."""
        key = provider_tool_name(descriptor.name)
        taken = self._tools.get(key)
        if taken is not None:
            name, held = descriptor.name, taken.descriptor.name
            same = "" if name == held else f" ({held!r} is sent to providers under the same name)"
            raise BadInput(f"there is a tool {name!r} already{same}: give this one another name")
        self._tools[key] = Tool(descriptor, run, keeps)

    def get(self, name: str) -> Tool:
        """Return the tool of a name: the name it was added by, or that name as providers are sent
        it. Raises BadInput."""
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
        """Return True when there are tools that are not declared."""
        return any(one.level != FUNCTION for one in self._descriptors())

    def execute(self, name: str, arguments: dict[str, Any], redact: Rules = SECRETS) -> object:
        """Run a tool to its end and return what it returns; `redact` is as `loom.open` takes it.

        Raises BadInput for an unknown name, NoRunner for a tool that only the host can run,
        LoomError for arguments against its schema and without approval, and what the tool raises.
        """
        tool = self.get(name)
        if tool.run is None:
            raise NoRunner(tool.descriptor.name)
        if wrong := wrong_argument(tool.descriptor.parameters_schema, arguments):
            raise tool_refused(tool.descriptor.name, wrong, "call it again so")
        if tool.descriptor.requires_approval:
            self.check_approved(tool.descriptor, arguments)
        return tool.run(arguments, redact) if tool.keeps else tool.run(arguments)

    def check_approved(self, tool: ToolDescriptor, arguments: dict[str, Any]) -> None:
        """Ask `approve` whether a tool may be run. Raises LoomError where it may not."""
        said = self.approve(tool, arguments) if self.approve else UNASKED
        if said is not True:
            why = said if isinstance(said, str) and said else UNSAID
            raise tool_refused(tool.name, why, "do it another way, or ask the user")

    def declared(self) -> tuple[ToolSchema, ...]:
        """Return the schemas of the tools of level 1, declared in every request, as added."""
        return tuple(tool_schema(one) for one in self._descriptors() if one.level == FUNCTION)

    def find(self, words: str, limit: int = 5) -> tuple[ToolDescriptor, ...]:
        """Return the tools that fit those words, the best first, at most `limit`; of any level.

        A tool of exactly that name comes first. "" and "?" find all tools of levels 2 and 3."""
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
        """Return the found tools as a text for the model: a paragraph each, or for more than
        DETAILED tools a line each.

        `through` is the declared tool by which the host lets the model call a tool of level 2 or 3:
        it takes a `name` and `arguments`."""
        given = tuple(found)
        if not given:
            return 'no such tool: other words may find one, "?" lists all'
        if len(given) > DETAILED:
            lines = (f"{one.name} (level {one.level}): {one.description}" for one in given)
            return "\n".join(one_line(line, LINE) for line in lines)
        return "\n\n".join(_tool_paragraph(one, through) for one in given)

    @property
    def tools(self) -> Sequence[OwnTool]:
        """Return `find_tool` and `call_tool`, offered where there is something to find."""
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
        """Answer a call of `find_tool`."""
        words = str(arguments["words"])
        self._check_has_tools()
        found = self.find(words)
        said = f"Looked for tools for '{one_line(words, 80)}': {len(found)} found"
        text = self.described(found, GATEWAY)
        return Answer(text[:limit], answer_reduction("find_tool", {"words": words[:100]}, said))

    def _refuse_gateway_call(
        self, edits: WorkingEdits, arguments: dict[str, Any], limit: int
    ) -> Answer:
        """Raise BadInput: Loom itself answers a call of `call_tool` only where it names no tool, or
        its `arguments` are no object."""
        self._check_has_tools()
        name = self.get(str(arguments["name"])).descriptor.name
        raise BadInput(f"`arguments` are those of {one_line(name, 80)}, as an object")

    def _check_has_tools(self) -> None:
        """Raise LoomError for a toolbox without tools: `find_tool` and `call_tool` may still be
        declared from an earlier opening."""
        if not self._tools:  # by an earlier opening the two may stand in the window
            raise LoomError("this agent has no more tools than those declared")

    def _inner_call(self, call: Call | ToolCall) -> ToolCall | None:
        """Return the call of a found tool for which a call of `call_tool` stands; None for any
        other call."""
        name, arguments = call_behind_gateway(call.name, call.arguments)
        if call.name == name or name not in self:
            return None
        return ToolCall(call.id, self.get(name).descriptor.name, arguments)

    def run(self, call: Call, context: Loop) -> Executed | None:
        """Run a call of one of these tools, return its outcome; None for a tool of the host."""
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
    """Return how often a tool has each word, in its name (NAME_WEIGHT times), its description and
    the names of its parameters."""
    from loom.search.terms import index_terms

    properties = descriptor.parameters_schema.get("properties")
    names = " ".join(map(str, properties)) if isinstance(properties, dict) else ""
    counts: Counter[str] = Counter()
    for text in (*[descriptor.name] * NAME_WEIGHT, descriptor.description, names):
        found = index_terms(text)
        counts.update((*found.words, *found.names))
    return counts


def _word_score(counts: Counter[str], word: str) -> float:
    """Return how often a tool has `word`, or PART of the highest count of its words that begin
    alike."""
    alike = (count for one, count in counts.items() if _begin_alike(one, word))
    return counts[word] or PART * max(alike, default=0)


def _begin_alike(one: str, other: str) -> bool:
    """Return True when two words begin alike, up to the last letter of the shorter."""
    shared = max(LEAST, min(len(one), len(other)) - 1)
    return one[:shared] == other[:shared]


def _tool_paragraph(tool: ToolDescriptor, through: str) -> str:
    """Return a tool as a paragraph for the model: description, parameters, approval, its call."""
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
