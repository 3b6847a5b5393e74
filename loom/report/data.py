"""What a report holds: plain records, as they stand in the page and as `--json` prints them.

Texts stand once each, in `ReportData.texts`; whatever shows one holds its number there. Turns are
the numbers of requests, from 1. Tokens are as Loom counts them, bytes are of UTF-8, and times are
milliseconds since the epoch.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from loom.report.loss_page import LossPage
from loom_partitions.limits import Tokens

Presence = Literal["whole", "back", "ahead", "part", "line", "out"]
Way = Literal["page_in", "recall", "read ahead", "stands again"]


class BlockRow(Struct, frozen=True, omit_defaults=True):
    """A block of a message: its kind (text, call, result, thought, media) and the number of its
    text; the name and id of a call or of the call a result answers, or a medium's type; the
    partition of a block of the head."""

    kind: str
    text: int
    name: str = ""
    id: str = ""
    part: str = ""
    error: bool = False


class MessageRow(Struct, frozen=True):
    """A message as it was sent. `entry` names the entry it shows ("head", "notice" …), `partition`
    whose it is, `bytes` its size as it is encoded for the sha256 of a request. `band` says what it
    is: guides and notes, a line or a digest, the user, the model, a result of a read …"""

    role: str
    partition: str
    entry: str
    tokens: int
    band: str
    bytes: int
    blocks: tuple[BlockRow, ...]


class TurnRow(Struct, frozen=True, kw_only=True):
    """A request: the first `shared` messages of the one before, then the messages `new`.

    `messages` is how many it has in all, `tools` the number of its list of tools. `sent` is its
    size in bytes, of which `reused` begin it just as they began the one before, counted in whole
    messages. `tokens` are as Loom counts by partition, `bands` the same by what they are (tools are
    with the instructions), and `client` what a client sent beside them.
    `total` is all of it as the provider counted (`reported`) or, where it did not say, as Loom
    does; in these tokens are `capacity`, `reusable` (what stood in the request before) and `plain`,
    a list with every message in full. `replied` are the tokens of the reply; `times` is how often
    it was sent, 0 for one that the provider refused, which is in no sum. `cuts` are the numbers
    of the cuts since the request before. `found` is the sha256 of the request as it is made again,
    `sha256` the recorded one ("" where there is none).
    """

    turn: int
    commit: int
    at: int
    tokens: Tokens
    bands: dict[str, int]
    capacity: int = 0
    rho: float = 0.0
    level: str
    cuts: tuple[int, ...]
    messages: int
    shared: int
    new: tuple[int, ...]
    tools: int
    sent: int
    reused: int
    reusable: int = 0
    plain: int = 0
    sha256: str
    found: str
    total: int = 0
    client: int = 0
    reported: bool = False
    replied: int = 0
    undone: bool = False
    times: int = 1


class ScoreRow(Struct, frozen=True):
    """The score of the best unit of an entry when a cut was made: worth = k · rel · recency, times
    `stale` where it was superseded.

    `used` is the request in whose reply any part of the entry was last used, 0 for none. `rank` is
    its place by worth per token among the `of` entries that stood, 1 for the first.
    """

    kind: str
    k: float
    rel: float
    recency: float
    stale: float
    worth: float
    used: int
    rank: int
    of: int


class CutItemRow(Struct, frozen=True):
    """What a cut took out, or showed in less: tokens and level of detail before and after.

    `after` is 0 for what left. `lanes` are numbers of lanes; `back` is the request in which it
    stood again, 0 for never, and `way` how it came.
    """

    entry: str
    partition: str
    title: str
    before: int
    after: int
    detail_before: str
    detail_after: str
    pages: tuple[str, ...]
    lanes: tuple[int, ...]
    score: ScoreRow | None = None
    back: int = 0
    way: Way | Literal[""] = ""


class CutRow(Struct, frozen=True):
    """A cut, made for the request `turn`: its level, ρ before it, the ρ from which that level acts
    (None where no pressure called for it), tokens before and after, and what it had to reach.
    `asked`: the model or the host asked for it.

    `digest` names what stands for entries that left, with the page that lists them.
    """

    turn: int
    commit: int
    level: str
    rho: float
    mark: float | None
    before: int
    after: int
    target: int
    reusable: int
    left: tuple[CutItemRow, ...]
    digest: str = ""
    page: str = ""
    generation: int = 0
    asked: bool = False


class LaneSpan(Struct, frozen=True, array_like=True):
    """How something stood from one request to another, both included; `cut` is the number of the
    cut that made it so, -1 for none, and `tokens` what of it was shown, 0 where that is not known
    (a line, or nothing)."""

    first: int
    last: int
    state: Presence
    cut: int = -1
    tokens: int = 0


class LaneRow(Struct, frozen=True):
    """The life of one text in the window: a result of a call, or a message of the user.

    `page` is where the whole rests ("" where the journal alone has it), `text` the number of that
    text, `tokens` and `size` (bytes) are of the whole. `came` maps requests to how it, or more of
    it, was brought back.
    """

    name: str
    entry: str
    title: str
    tool: str
    file: str
    page: str
    tokens: int
    size: int
    text: int
    spans: tuple[LaneSpan, ...]
    came: tuple[tuple[int, Way], ...] = ()


class PriceRow(Struct, frozen=True):
    """Dollars for a million tokens that a provider's cache holds (`read`), and that are new to it
    (`write`). `model` is the row of the price list, "default" where the model is none of it."""

    model: str
    read: float
    write: float
    as_of: str
    known: bool


class SumsRow(Struct, frozen=True):
    """All requests of a session together: tokens sent, those a provider's cache held, the largest,
    and dollars for the input; `plain` and `plain_cost` are of a plain list. A page without prices
    shows no dollars."""

    requests: int = 0
    sent: int = 0
    reusable: int = 0
    largest: int = 0
    cost: float = 0.0
    plain: int = 0
    plain_cost: float = 0.0


class AgentRow(Struct, frozen=True, kw_only=True):
    """One agent and its session. `above` is the number of the agent that began it, -1 for none.

    `title` are the first words that its user typed. `why` says why its session cannot be told,
    `recording` what of a recorded session is not in it. `pages` are those of outputs that are kept.
    `plain_over` is the first request that would not have fitted as a plain list, 0 for none.
    `differ` are requests that can no longer be made as they were sent.
    """

    name: str
    folder: str
    above: int
    state: str
    why: str = ""
    recording: tuple[str, ...] = ()
    goal: str = ""
    title: str = ""
    model: str = ""
    policy: str = ""
    window: int = 0
    reply: int = 0
    encoding: str = ""
    exact: bool = True
    generation: int = 1
    commits: int = 0
    began: int = 0
    ended: int = 0
    steps: int = 0
    pages: int = 0
    page_bytes: int = 0
    outcome: str = ""
    prices: PriceRow | None = None
    sums: SumsRow = SumsRow()
    plain_over: int = 0
    differ: tuple[int, ...] = ()
    turns: tuple[TurnRow, ...] = ()
    cuts: tuple[CutRow, ...] = ()
    lanes: tuple[LaneRow, ...] = ()


class OmittedTexts(Struct, frozen=True):
    """What a report leaves out, so that its page keeps within a size: `texts` of `of`, of which
    `cut` stand in part; `characters` that are missing, and the last request one of them is of."""

    texts: int = 0
    of: int = 0
    cut: int = 0
    characters: int = 0
    through: int = 0
    limit: int = 0


class ReportData(Struct, frozen=True):
    """All that a page shows. `texts` has None for a text that was left out, and `lengths` the true
    number of characters of those that are not whole. `lost` is what recorded sessions lost where
    their clients compacted them, `scores` says how scores were come by."""

    version: str
    source: str
    agents: tuple[AgentRow, ...]
    messages: tuple[MessageRow, ...]
    tools: tuple[tuple[int, ...], ...]
    texts: tuple[str | None, ...]
    lengths: dict[int, int] = {}
    omitted: OmittedTexts = OmittedTexts()
    lost: LossPage | None = None
    scores: str = "worked out again from the journal, with the constants of this version of Loom"
