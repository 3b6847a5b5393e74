"""The tokens a message costs beside its text.

Providers publish no exact figures for tool traffic; these are upper bounds in the range of the
OpenAI cookbook for chat messages (3 for a message and 1 for its role) and for a call's tokens. A
user message is MESSAGE + text; a call CALL + name + id + arguments; a result RESULT + id + text."""

from __future__ import annotations

from msgspec import Struct

from loom.providers.counts.counter import Counter

MESSAGE = 4
CALL = 8
RESULT = 6
TOOL = 10
ERROR = 5  # the mark a failed result gets where a format has no field for it
JOINT = 2  # what joins two texts of one message
BLANK = 4  # what stands for a text that is blank: providers refuse empty ones


class MessageSizes(Struct, frozen=True):
    """Computes the tokens of a request's messages, calls, results and tools by `count`."""

    count: Counter

    def message(self, text: str) -> int:
        """Return the tokens of a message that holds one text."""
        return MESSAGE + self.count(text)

    def call(self, id: str, name: str, arguments: str) -> int:
        """Return the tokens of a call inside an assistant message."""
        return CALL + sum(self.count.many((id, name, arguments)))

    def result(self, call_id: str, text_tokens: int, *, error: bool = False) -> int:
        """Return the tokens of a result message whose text has `text_tokens`; `error` adds the
        tokens that mark a failed result."""
        marked = ERROR if error else 0
        return RESULT + MESSAGE + self.count(call_id) + max(text_tokens, BLANK) + marked

    def tool(self, schema: str) -> int:
        """Return the tokens of a tool's declaration; `schema` is its JSON document."""
        return TOOL + self.count(schema)
