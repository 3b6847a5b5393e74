"""The tokens that a message costs besides its text.

Providers publish no exact figures for tool traffic. These are upper bounds, near those of the
OpenAI cookbook for chat messages (3 for a message and 1 for its role). A user message costs MESSAGE
+ text; a call CALL + name + id + arguments; a result RESULT + id + text."""

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
    """The tokens of a request's messages, calls, results and tools. `count` counts a text."""

    count: Counter

    def message(self, text: str) -> int:
        """Return the tokens of a message that holds only the text `text`."""
        return MESSAGE + self.count(text)

    def call(self, id: str, name: str, arguments: str) -> int:
        """Return the tokens of one tool call in an assistant message. `arguments` is JSON text."""
        return CALL + sum(self.count.many((id, name, arguments)))

    def result(self, call_id: str, text_tokens: int, *, error: bool = False) -> int:
        """Return the tokens of a result message, whose text has `text_tokens` tokens. `error` says
        that the call failed."""
        marked = ERROR if error else 0
        return RESULT + MESSAGE + self.count(call_id) + max(text_tokens, BLANK) + marked

    def tool(self, schema: str) -> int:
        """Return the tokens of a tool's declaration. `schema` is its JSON text."""
        return TOOL + self.count(schema)
