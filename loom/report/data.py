"""The data of a report as plain rows. The HTML page shows them, and `--json` prints them.

Each text is stored once, in `ReportData.texts`. A row that shows a text holds the text's number,
which is its index there. Turns are numbers of requests, counted from 1. Tokens are Loom's counts.
Bytes are of UTF-8 text. Times are milliseconds since the epoch."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from loom.report.loss_page import LossPage
from loom_partitions.limits import Tokens

Presence = Literal["whole", "back", "ahead", "part", "line", "out"]
Way = Literal["page_in", "recall", "read ahead", "stands again"]


class BlockRow(Struct, frozen=True, omit_defaults=True):
    """A block of a message. `kind` is "text", "call", "result", "thought" or "media". `text` is the
    number of its text. `name` and `id` are a call's, also in its result; for media, `name` is the
    type. `part` is the partition of a text in the system message."""

    kind: str
    text: int
    name: str = ""
    id: str = ""
    part: str = ""
    error: bool = False


class MessageRow(Struct, frozen=True):
    """A message as it was sent.

    `entry` is the name of the entry that the message shows, "head" for the system message, or
    "notice". `bytes` is the size of the encoded message. `band` is the kind of content, such as
    "instructions", "user", "model" or "reads" (results of reading)."""

    role: str
    partition: str
    entry: str
    tokens: int
    band: str
    bytes: int
    blocks: tuple[BlockRow, ...]


class TurnRow(Struct, frozen=True, kw_only=True):
    """A request: the first `shared` messages of the previous request, then the messages with the
    numbers `new`.

    `messages` is the number of its messages, `tools` that of its tool list in `ReportData.tools`.
    `cuts` has the numbers of the cuts since the previous request.

    `sent` is its size in bytes. `reused` is the size of the whole messages at its beginning that
    equal the previous request's. `tokens` has Loom's count by partition, `bands` by kind of
    content, with tools under "instructions". `client` counts tokens that a client added itself.
    `total` is the provider's count if `reported` is True, else Loom's. `capacity`, `reusable`
    (tokens shared with the previous request), and `plain` (tokens of a list with every message in
    full) are counted like `total`. `replied` is the size of the reply.

    `times` is how often the request was sent. It is 0 if the provider refused the request, and no
    sum includes such a request. `found` is the sha256 of the request as it is made now, `sha256`
    the recorded one or ""."""

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
    """The score of an entry's best part when a cut was made.

    worth = k · rel · recency · stale. `k` is the weight of the `kind`, `rel` the relevance. `stale`
    is less than 1 if a later result replaced the part. `used` is the request whose reply last used
    any part of the entry, 0 for none. `rank` is the entry's position (best: 1) by worth per token
    among the `of` scored entries."""

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
    """A text that a cut took out or shortened, with its tokens and level of detail before and
    after.

    `after` is 0 if the text was taken out. `lanes` has the numbers of its `LaneRow`s. `back` is the
    request that showed the text again, 0 for none. `way` says how the text came back."""

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
    """A cut that was made for the request `turn`.

    `rho` is the fullness before the cut. `mark` is the ρ at which a cut of this level is due, None
    for a cut that does not depend on fullness. `before`, `after` and `target` are tokens. `asked`
    is True if the model or the host program asked for the cut. `digest` is the name of the digest
    that replaced the entries listed in `page`."""

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
    """How a text was shown from request `first` to request `last`. `cut` is the number of the cut
    that reduced the text to this state, -1 for none. `tokens` is how much of the text was shown."""

    first: int
    last: int
    state: Presence
    cut: int = -1
    tokens: int = 0


class LaneRow(Struct, frozen=True):
    """How one text, a call's result or a user's message, was shown in the window over time.

    `page` is the page with the whole text, "" if only the journal has it. `text` is the number of
    the text. `tokens` and `size` (bytes) are those of the whole text. `came` has a pair (request,
    way) for each time that the text or more of the text came back."""

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
    """The price of a million input tokens in dollars: `read` for tokens in the provider's cache,
    `write` for new tokens. `model` is the name in the price list, "default" for an unlisted model.
    """

    model: str
    read: float
    write: float
    as_of: str
    known: bool


class SumsRow(Struct, frozen=True):
    """Sums over all requests of a session. `sent` and `reusable` (in the provider's cache) are
    tokens, `largest` is the size of the largest request, `cost` the price of the input in dollars.
    `plain` and `plain_cost` are the tokens and dollars of sending every message in full."""

    requests: int = 0
    sent: int = 0
    reusable: int = 0
    largest: int = 0
    cost: float = 0.0
    plain: int = 0
    plain_cost: float = 0.0


class AgentRow(Struct, frozen=True, kw_only=True):
    """One agent and its session.

    `above` is the number of the agent that started this one, -1 for none. `title` is the beginning
    of the user's first message. `why` says why the session cannot be read. `recording` lists what a
    recorded session lacks. `pages` counts the stored pages of tool outputs. `plain_over` is the
    first request that would not fit if every message were sent in full, 0 for none. `differ` has
    the requests that come out different when they are made again."""

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
    """The texts that a report leaves out so that its page has at most `limit` bytes.

    `of` is the number of all texts, `texts` that of the texts left out, `cut` that of the texts
    shortened, and `characters` that of the missing characters. `through` is the last request that
    shows a text that is left out."""

    texts: int = 0
    of: int = 0
    cut: int = 0
    characters: int = 0
    through: int = 0
    limit: int = 0


class ReportData(Struct, frozen=True):
    """All data that a report's page shows.

    `texts` has None for a text that was left out. `lengths` maps the number of an incomplete text
    to the full length in characters. `lost` says what recorded sessions lost at their clients'
    compactions. `scores` is a sentence on the source of the scores."""

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
