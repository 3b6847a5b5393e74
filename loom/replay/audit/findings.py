"""Counts what an audit finds."""

from __future__ import annotations

from msgspec import Struct, field


class LawsBroken(Struct):
    """How often each law was broken.

    `orphans`: messages in an order that the window or the provider does not allow. `unbound`:
    reasoning that is sent after other texts than it was written for. `mistyped`: what a provider's
    request types refuse. `standing`: texts under a role they have no right to, in any format.
    `floor`: the project's own texts that were removed to make room for a text found while working.
    `newest`: entries since the last reply that a request did not hold unchanged although there was
    room."""

    over_budget: int = 0
    orphans: int = 0
    unbound: int = 0
    mistyped: int = 0
    standing: int = 0
    floor: int = 0
    newest: int = 0
    unconverged: int = 0
    protected_changed: int = 0
    unrestorable: int = 0
    reopen_differs: int = 0
    prefix_broken_between_cuts: int = 0
    miscounted: int = 0
    reusable_differs: int = 0


BROKEN = LawsBroken.__struct_fields__
SENT = ("unbound", "mistyped")  # laws that only `sent` of an audit asks
DETAILS_MAX = 20


class Findings(LawsBroken):
    """The number of breaches of each law, and statistics of the requests. `sent` and `reused` are
    bytes. `peak` is the highest ρ. `levels` maps a pressure level to its number of turns with cuts.
    """

    turns: int = 0
    sent: int = 0
    reused: int = 0
    cuts: int = 0
    renewals: int = 0
    peak: float = 0.0
    levels: dict[str, int] = field(default_factory=dict)
    details: list[str] = field(default_factory=list)

    def tell(self, law: str, detail: str) -> None:
        """Count a breach of `law`. Store `detail` if fewer than DETAILS_MAX details are stored."""
        setattr(self, law, getattr(self, law) + 1)
        if len(self.details) < DETAILS_MAX:
            self.details.append(f"{law}: {detail}")

    @property
    def broken(self) -> int:
        """The number of breaches of all laws together."""
        return sum(getattr(self, name) for name in BROKEN)

    @property
    def prefix_reuse(self) -> float:
        """The share (0 to 1) of the sent bytes that also began the previous request."""
        return self.reused / self.sent if self.sent else 1.0
