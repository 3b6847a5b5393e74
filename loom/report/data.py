"""The data of a report: plain rows, which the page shows and `--json` prints.

Each text is stored once, in `ReportData.texts`; a row that shows a text holds its number there.
Turns are the numbers of requests, from 1. Tokens are as Loom counts them, bytes are of UTF-8, and
times are milliseconds since the epoch."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from loom.report.loss_page import LossPage
from loom_partitions.limits import Tokens

Presence = Literal["whole", "back", "ahead", "part", "line", "out"]
Way = Literal["page_in", "recall", "read ahead", "stands again"]


class BlockRow(Struct, frozen=True, omit_defaults=True):
    """A block of a message: a text, call, result, thought or medium (`kind`), with the number of
    its text.

    `name` and `id` are those of a call, or of the call that a result answers; of a medium `name` is
    its type. `part` is the partition of a block of the head."""

    kind: str
    text: int
    name: str = ""
    id: str = ""
    part: str = ""
    error: bool = False


class MessageRow(Struct, frozen=True):
    """A message as it was sent.

    `entry` is the name of the entry it shows ("head", "notice" …), `partition` its partition,
    `bytes` its size as encoded for the sha256 of a request. `band` says what it is: instructions
    and notes, a digest or short lines, the user, the model, a result of a read …"""

    role: str
    partition: str
    entry: str
    tokens: int
    band: str
    bytes: int
    blocks: tuple[BlockRow, ...]


class TurnRow(Struct, frozen=True, kw_only=True):
    """A request: the first `shared` messages of the request before, then the messages `new`.

    `messages` counts its messages, `tools` is the number of its list of tools. `sent` is its size
    in bytes, of which the first `reused`, counted in whole messages, are equal in the request
    before. `tokens` are by partition, `bands` the same tokens by what they are (tools count as
    instructions), `client` those that a client sent by itself, all as Loom counts. `total` are the
    tokens of the whole as the provider counted (then `reported` is True), else as Loom does; so are
    `capacity`, `reusable` (what the request before had too) and `plain` (a list with every message
    in full). `replied` are the tokens of the reply. `times` is how often the request was sent, 0
    for one that the provider refused, which no sum includes. `cuts` are the numbers of the cuts
    since the request before. `found` is the sha256 of the request as it is made again, `sha256` the
    recorded one ("" where there is none)."""

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
    """The score of an entry when a cut was made, that of its best part: worth = k · rel · recency,
    times `stale` where a later result replaced the part.

    `used` is the request whose reply last used any part of the entry, 0 for none. `rank` is the
    entry's place by worth per token among the `of` entries in the window, 1 for the first."""

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
    """A text that a cut took out or shortened: its tokens and level of detail before and after.

    `after` is 0 for a text that left. `lanes` are the numbers of its lanes (`LaneRow`), `back` is
    the request that showed the text again (0 for none), and `way` how it came back."""

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
    """A cut, made for the request `turn`.

    `rho` is the pressure before it, `mark` the ρ from which its level acts (None for a cut that no
    pressure calls for), `before` and `after` are tokens, `target` the tokens it had to reach.
    `asked` is True when the model or the host asked for the cut. `digest` names the digest that
    stands for entries that left, `page` the page that lists them."""

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
    that led to this state, -1 for none; `tokens` are those shown of the text, 0 for a line or
    nothing."""

    first: int
    last: int
    state: Presence
    cut: int = -1
    tokens: int = 0


class LaneRow(Struct, frozen=True):
    """The life of one text (a call's result or a user's message) in the window.

    `page` holds the whole text ("" where only the journal has it), `text` is its number, `tokens`
    and `size` (bytes) are of the whole text. `came` holds a pair (request, way) for each time that
    the text, or more of it, was brought back."""

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
    """Dollars for a million input tokens: `read` for tokens that a provider's cache has, `write`
    for new ones. `model` is the price list's name for the model, "default" for a model that it does
    not have."""

    model: str
    read: float
    write: float
    as_of: str
    known: bool


class SumsRow(Struct, frozen=True):
    """The sums over all requests of a session: tokens sent, tokens that a provider's cache had, the
    largest request, and dollars for the input. `plain` and `plain_cost` are the tokens and dollars
    of a plain list of all messages. A page without prices shows no dollars."""

    requests: int = 0
    sent: int = 0
    reusable: int = 0
    largest: int = 0
    cost: float = 0.0
    plain: int = 0
    plain_cost: float = 0.0


class AgentRow(Struct, frozen=True, kw_only=True):
    """One agent and its session.

    `above` is the number of the agent that began this one, -1 for none. `title` is the first words
    that its user typed. `why` says why its session cannot be read, `recording` what a recorded
    session lacks. `pages` counts the pages of outputs that were not let go. `plain_over` is the
    first request that would not have fitted as a plain list of all messages, 0 for none. `differ`
    are the requests that can no longer be made as they were sent."""

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
    """What a report leaves out so that its page has at most `limit` bytes.

    `texts` of the `of` texts are left out, `cut` others are shortened; `characters` counts what is
    missing. `through` is the last request that shows a text that is left out."""

    texts: int = 0
    of: int = 0
    cut: int = 0
    characters: int = 0
    through: int = 0
    limit: int = 0


class ReportData(Struct, frozen=True):
    """All that a page shows.

    `texts` has None for a text that was left out; `lengths` maps the number of a text that is not
    whole to the characters of the whole. `lost` is what recorded sessions lost where their clients
    compacted them. `scores` says where the scores come from."""

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
