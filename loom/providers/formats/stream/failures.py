"""How a streamed reply can go wrong. In both cases the request may be sent again as it was."""

from __future__ import annotations

from loom.errors import LoomError
from loom.providers.formats.stream.chunks import field, plain


class StreamFailed(LoomError):
    """The provider broke a reply off and said why.

    `code` is the provider's code or type, `said` its words, `body` all it sent, as plain values:
    what an error of the provider's library holds, so that both are read alike.
    """

    def __init__(self, error: object) -> None:
        self.body = plain(error)
        self.code = str(field(self.body, "code") or field(self.body, "type") or "")
        self.said = str(field(self.body, "message") or self.body)
        kind = f" ({self.code})" if self.code else ""
        super().__init__(
            f"the provider broke the reply off{kind}: {self.said}; nothing was recorded: ask again"
            " when the cause is gone"
        )


class BrokenStream(LoomError):
    """A stream ended, after `chunks` chunks, before the provider said the reply was complete."""

    def __init__(self, chunks: int = 0) -> None:
        self.chunks = chunks
        super().__init__(
            f"the stream ended after {chunks:,} chunks, before the reply was complete: nothing was"
            " recorded, ask again"
        )
