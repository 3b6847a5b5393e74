"""From inputs to records: texts redacted, counted, reduced, bounded, and put on pages."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec import json
from msgspec.structs import replace

from loom.inputs import Reasoning, Reply, Result, Speech, ToolCall
from loom.lazy import lazy_modules
from loom.providers.counts import MessageSizes
from loom.providers.counts.message_sizes import BLANK, CALL, MESSAGE
from loom.providers.render.neutral import neutral
from loom.providers.render.quotes import quote_turn, turn_heading
from loom.providers.render.wording import arrival_notice
from loom.redact import Redactor
from loom.reduce.arguments import call_behind_gateway
from loom.reduce.preview import (
    TO_ITS_ENDS,
    Shorten,
    Shortening,
    minimal_arguments,
    preview,
    preview_spoken,
)
from loom.session.counted_texts import CountedTexts, Rest, join_facts, part_tokens, reply_tokens
from loom.text import encodable, one_line, provider_tool_name
from loom_partitions.message import (
    Call,
    Fact,
    Notice,
    Outcome,
    Part,
    Reduction,
    Said,
    Step,
    Text,
    Thought,
    UserTurn,
)
from loom_partitions.records import Returned

if TYPE_CHECKING:
    from loom.providers.formats import blocks, envelope
    from loom.reduce import client_notes, reply_facts, result_facts, rules, user_facts
    from loom.reduce.rule import Rule
    from loom.session import attachments
else:  # only a tool's declaration is taken in when a session opens
    lazy_modules("loom.session", "attachments", globals())
    lazy_modules("loom.providers.formats", "blocks envelope", globals())
    lazy_modules("loom.reduce", "result_facts reply_facts client_notes rules user_facts", globals())

ASKED = 60  # characters of what was called, in the heading of its late result
_BYTES = ("utf-8", "surrogateescape")  # bytes that are no text, as a text


class Ingest(CountedTexts):
    """Makes entries and records of inputs. `rules` (tool name → rule) are the host's own."""

    def __init__(
        self,
        sizes: MessageSizes,
        redactor: Redactor,
        rest: Rest,
        rules: Mapping[str, Rule],
        mark: Callable[[], str],
    ) -> None:
        super().__init__(sizes, redactor, rest, mark)
        self.rules = rules

    def user(self, value: str, id: int, room: int, voice: str = "", mark: str = "") -> UserTurn:
        """Return a user's message as an entry of at most `room` tokens. `voice` says who wrote the
        message, "" for the user."""
        value = self.redact(value)
        voice = voice or client_notes.voice_of(value)
        facts = user_facts.facts_of_user(value, voice)
        turn = UserTurn(id, self.text(value, "message"), 0, facts=facts, voice=voice)
        return self._bounded_turn(turn, value, room, mark)

    def own(self, value: str, id: int, room: int, mark: str) -> UserTurn:
        """Return as an entry a block (JSON) that only one format knows."""
        value = self.arguments(value)
        text = self.text(value, "block", ".json", page=True)
        turn = self._bounded_turn(UserTurn(id, text, 0, voice="document"), value, room, mark)
        return replace(turn, text=attachments.mark_as_own(turn.text, value))

    def _bounded_turn(
        self, turn: UserTurn, value: str, room: int, mark: str, shorten: Shorten = preview_spoken
    ) -> UserTurn:
        """Return the entry with its text cut to `room` tokens, counted in the form that is sent."""

        def count(body: str) -> int:
            return self.sizes.count(quote_turn(turn, neutral(body, mark), mark))

        own = not turn_heading(turn, mark)
        text = turn.text if own else replace(turn.text, tokens=count(value))
        text = self.bounded(value, text, room, shorten, None if own else count)
        return replace(turn, text=text, tokens=MESSAGE + max(text.tokens, BLANK))

    def late(
        self, result: Result, call: ToolCall, step: str, id: int, room: int, mark: str
    ) -> UserTurn:
        """Return a late result, whose call in `step` was given up, as an entry."""
        value, data = self._clean_result(result)
        if data is None and encodable(value) != value:
            data = value.encode("utf-8", "surrogatepass")
        value = encodable(value)
        name, arguments = call_behind_gateway(call.name, call.arguments)
        reduction = rules.reduce_result(
            name, arguments, value, error=result.error, rules=self.rules
        ).reduction
        asked = one_line(" ".join(map(str, reduction.minimal_args.values())), ASKED)
        said = ", ".join(filter(None, (one_line(name, ASKED), asked)))
        about = f"{', failed' if result.error else ''} ({said})"
        # What is no text rests as it is; the entry shows what can be read of it.
        about += f" → {self.put_page('result', '.bin', data)}" if data is not None else ""
        facts = result_facts.facts_of_result(name, arguments, value, result.error, reduction)
        turn = UserTurn(
            id, self.text(value, "result"), 0, facts=facts, source=step, about=about,
            call=result.call_id,
        )  # fmt: skip
        return self._bounded_turn(turn, value, room, mark, preview)

    def cleaned(self, reply: Reply) -> Reply:
        """Return the reply without secrets and lone surrogates."""
        parts = [self._clean_part(part) for part in reply.parts]
        for at in envelope.unpaired_indexes(envelope.opaques(reply.parts), envelope.opaques(parts)):
            parts[at] = Reasoning()
        return replace(reply, parts=tuple(parts), model=self.clean(reply.model))

    def reply(self, reply: Reply, id: int, room: int) -> Step:
        """Return a cleaned reply as a step with open calls, shortened to at most `room` tokens."""
        said = " ".join(part.text for part in reply.parts if isinstance(part, Speech))
        thought = " ".join(part.text for part in reply.parts if isinstance(part, Reasoning))
        calls = [call_behind_gateway(call.name, call.arguments) for call in reply.calls]
        made = reply_facts.facts_of_reply(said, calls, thought)
        told = tuple(replace(fact, text=self.clean(fact.text)) for fact in made)  # on one line now
        free = envelope.standalone_flags(envelope.opaques(reply.parts))
        parts = tuple(map(self._counted_part, reply.parts, free))
        sizes = [part_tokens(part) for part in parts]
        page = ""
        if sum(sizes) > room:
            page = self.put_page("reply", ".json", json.encode(reply))
            each = max(room // len(parts), 40)
            whole = envelope.opaques(parts)
            bounded = [self._bounded_part(part, each, page) for part in parts]
            for at in envelope.unpaired_indexes(whole, envelope.opaques(bounded)):
                bounded[at] = Thought()
            parts = tuple(bounded)
        open_calls = tuple(call.id for call in reply.calls)
        tokens = MESSAGE + reply_tokens(parts)
        paused = bool(envelope.open_provider_calls(envelope.opaques(parts)))
        return Step(id, parts, tokens, open=open_calls, facts=told, page=page, paused=paused)

    def _clean_part(self, part: Speech | Reasoning | ToolCall) -> Speech | Reasoning | ToolCall:
        """Return a part of a reply without secrets. A signed block with a secret is removed."""
        if isinstance(part, Speech):
            return Speech(self.clean(part.text))
        if isinstance(part, ToolCall):
            arguments = self.arguments(part.arguments)
            return ToolCall(self.clean(part.id), self.clean(part.name), arguments)
        opaque = part.opaque
        if self.redact.holds_secret(opaque) or encodable(opaque) != opaque:
            # A provider would refuse a signed block that was changed.
            if envelope.is_signed(opaque):
                return Reasoning()
            opaque = self.arguments(opaque)
        return Reasoning(self.clean(part.text), opaque, part.format)

    def _counted_part(self, part: Speech | Reasoning | ToolCall, unbound: bool) -> Part:
        """Return a part with its tokens; `unbound` if it may be sent without the parts before."""
        if isinstance(part, Speech):
            return Said(Text(self.sizes.count(part.text), len(part.text.encode()), part.text))
        if isinstance(part, ToolCall):
            sent = blocks.arguments_text(part.arguments)
            tokens = self.sizes.call(part.id, provider_tool_name(part.name), sent)
            return Call(part.id, part.name, part.arguments, tokens)
        return Thought(part.text, part.opaque, part.format, self._thought_tokens(part), unbound)

    def _thought_tokens(self, part: Reasoning) -> int:
        """Return the tokens of reasoning that goes back to the provider, 0 for other reasoning."""
        if not part.opaque:
            return 0
        return self.sizes.count(part.text or part.opaque) + CALL

    def _bounded_part(self, part: Part, room: int, page: str) -> Part:
        """Return a part shortened to `room` tokens. `page` holds the whole reply."""
        if part_tokens(part) <= room:
            return part
        if isinstance(part, Said):
            return Said(self.bounded(part.text.body or "", replace(part.text, page=page), room))
        if isinstance(part, Call):
            for limit in (4 * room, 2 * room, room, 80):
                arguments = blocks.arguments_text(minimal_arguments(part.arguments, limit, page))
                tokens = self.sizes.call(part.id, provider_tool_name(part.name), arguments)
                if tokens <= room:
                    break
            return Call(part.id, part.name, arguments, tokens, page)
        return Thought()

    def arguments(self, given: str) -> str:
        """Return a call's arguments (JSON) without secrets and lone surrogates."""
        return encodable(self.redact.arguments(given))

    def result(
        self,
        step: Step,
        result: Result,
        room: int,
        shortening: Shortening = TO_ITS_ENDS,
        whole: str = "",
    ) -> Returned:
        """Return the record of a call's result, in at most `room` tokens. `whole` are the call's
        arguments in full if the step has shortened arguments, else ""."""
        call = next(call for call in step.calls if call.id == result.call_id)
        value, data = self._clean_result(result)
        name, arguments = call_behind_gateway(call.name, whole or call.arguments)
        reduced = rules.reduce_result(
            name, arguments, encodable(value), error=result.error, rules=self.rules
        )
        if result.own:
            value, data = self.arguments(result.own), None
            text = self.text(value, reduced.kind, ".json", page=True)
        else:
            text = self.text(value, reduced.kind, reduced.extension, page=reduced.page, data=data)
        reduction = replace(reduced.reduction, outcome_ref=text.page)
        if 0 < shortening.above < len(value):
            text = self._shorten_text(value, text, shortening)
        shown = self.bounded(value, text, room, shortening)
        if shown.tokens > room:
            line = f"{reduction.observation} → {shown.page}"
            shown = Text(self.sizes.count(line), text.size, line, shown.page)
            reduction = replace(reduction, outcome_ref=shown.page)
        shown = attachments.mark_as_own(shown, value) if result.own else shown
        failed = result.error or reduced.failed
        facts = result_facts.facts_of_result(name, arguments, encodable(value), failed, reduction)
        return self._result_record(step, result, shown, reduction, facts)

    def _clean_result(self, result: Result) -> tuple[str, bytes | None]:
        """Return (text, bytes) of a result without secrets. For plain text bytes is None."""
        given = result.data
        if given is None or result.text != given.decode(*_BYTES):
            return self.redact(result.text), given and self.redact.data(given)
        from loom.providers.media.hidden_text import withheld_line

        data = self.redact.data(given)
        text = data.decode(*_BYTES)
        line = withheld_line(data, self.redact) if encodable(text) != text else ""
        return (line, None) if line else (text, data)

    def _shorten_text(self, value: str, text: Text, shortening: Shortening) -> Text:
        """Return `value` cut as `shortening` allows; `text` if that saves no tokens."""
        page = text.page or self.put_page("text", ".txt", value.encode("utf-8", "surrogatepass"))
        body = shortening(encodable(value), shortening.above, page)
        tokens = self.sizes.count(body)
        return Text(tokens, text.size, body, page) if tokens < text.tokens else text

    def answer(self, step: Step, result: Result, reduction: Reduction, room: int) -> Returned:
        """Return the record of a result that Loom itself made, of at most `room` tokens."""
        clean = self.clean(result.text)
        size = len(clean.encode())
        tokens = self.sizes.count(clean)
        while tokens > room and len(clean) > 200:
            limit = max(int(len(clean) * 0.9 * room / tokens), 200)
            clean = preview(clean, limit, reduction.outcome_ref or "it")
            tokens = self.sizes.count(clean)
        text = Text(tokens, size, clean)
        arguments = {  # the reduced form is made of the answer as it was
            self.clean(key): self.clean(value) if isinstance(value, str) else value
            for key, value in reduction.minimal_args.items()
        }
        said, line = self.clean(reduction.observation), self.clean(reduction.compact)
        reduction = replace(reduction, minimal_args=arguments, observation=said, compact=line)
        return self._result_record(step, result, text, reduction)

    def _result_record(
        self,
        step: Step,
        result: Result,
        text: Text,
        reduction: Reduction,
        facts: Sequence[Fact] = (),
    ) -> Returned:
        """Return the record of a result, with the facts of its step and then `facts`."""
        outcome = Outcome(result.call_id, text, reduction, result.error)
        tokens = self.sizes.result(result.call_id, text.tokens, error=result.error)
        return Returned(step.id, outcome, tokens, join_facts(step.facts, facts))

    def tool(self, name: str, schema: str, sent: Iterable[str]) -> tuple[Text, Notice]:
        """Return (declaration, notice): the tool's `schema` as a text, and the notice about the
        tool. The tokens are those of the largest form in `sent`."""
        tokens = max(self.sizes.tool(form) for form in sent)
        said = arrival_notice("tools", provider_tool_name(name), schema, self.mark())
        text = Text(tokens, len(schema.encode()), schema)
        return text, Notice("skill", said, self.sizes.message(said))
