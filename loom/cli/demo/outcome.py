"""What a demo ends in: its course in figures, its proof, and a result that was read again."""

from __future__ import annotations

from msgspec import Struct


class ReadAgain(Struct, frozen=True):
    """One result that left the window and was read again later, as the journal tells it.

    Steps are numbered from 1, and the request of a step has its number. `call` brought the result
    of `size` bytes at step `came`, whose bytes rest on `page`; the cut of `level` took its text out
    of request `left`, and at step `again` the agent made the call `asked`, which brought `answer`.
    `before` is the text in the last request that had it, `after` what stands for it in the next
    one ("" for nothing), and both `tokens_` are theirs.
    """

    call: str
    size: int
    page: str
    came: int
    left: int
    level: str
    before: str
    tokens_before: int
    after: str
    tokens_after: int
    again: int
    asked: str
    answer: str


class DemoResult(Struct, frozen=True):
    """The course of a demo and its proof. Tokens are recounted outside the engine.

    `peak_tokens` and `peak_rho` are of requests as they were sent; `reached` is the highest ρ a
    request would have had without the cut that came before it. `sha256` is that of all results,
    one after the other, as they were read, `sha256_recovered` of all that came back from the disk.
    `plain_tokens` is the last request as a plain list of all messages, which was over the same
    window after step `plain_full_at`, 0 for never. `laws` is how many were checked at each request,
    and `broken` how often one was broken.
    """

    steps: int
    turns: int
    renewals: int
    cuts: dict[str, int]
    window: int
    capacity: int
    peak_tokens: int
    peak_rho: float
    reached: float
    tokens_read: int
    tokens_sent: int
    plain_tokens: int
    plain_full_at: int
    results: int
    bytes_read: int
    sha256: str
    recovered: int
    bytes_recovered: int
    sha256_recovered: str
    laws: int
    broken: int
    pages: int
    prefix_reuse: float
    read_again: ReadAgain | None
    seconds: float
    failures: tuple[str, ...]

    @property
    def passed(self) -> bool:
        """True when every claim held."""
        return not self.failures
