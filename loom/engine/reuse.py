"""How much of what is sent stood at the front of the request before: what a cache can serve.

Counted from what the journal holds, in tokens as Loom counts them: between cuts a request begins
with all of the one before, and a cut's certificate says how much of it still does. `loom top` and
`loom replay` show this one figure.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace


class PrefixReuse(Struct, frozen=True):
    """The tokens of all requests so far, and of these the ones that were `reused`.

    `front` is how many tokens at the front of the last request the next one begins with.
    """

    sent: int = 0
    reused: int = 0
    front: int = 0

    @property
    def share(self) -> float:
        """The share of all tokens sent that stood in the request before, 0 to 1."""
        return self.reused / self.sent if self.sent else 0.0

    def shortened(self, tokens: int) -> PrefixReuse:
        """Tell of a cut or an undo: only `tokens` of the last request still stand at the front."""
        return replace(self, front=min(self.front, tokens))

    def with_request(self, tokens: int) -> PrefixReuse:
        """Count one more request of so many tokens."""
        return PrefixReuse(self.sent + tokens, self.reused + min(self.front, tokens), tokens)
