"""The decision whether a window needs a cut, a renewal or nothing, made from ρ.

Before a request at most one level acts, or a renewal; a level that leaves ρ at 1.0 or above is
followed by a renewal. A change of size, and a refused request, lead to cuts at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from logging import getLogger

from msgspec import Struct
from msgspec.structs import replace

from loom.compress.ladder import REACTIVE, crossed_levels
from loom.compress.newest_entries import renewal_ceiling
from loom.errors import VETOED, BadInput
from loom.policy import Policy
from loom.session.archive.snapshot_document import RENEWAL
from loom.session.certify import CertifiedCut
from loom.session.cut import Cutter
from loom.session.notices import MINIMAL_TAIL, Notices
from loom_partitions import records as r
from loom_partitions.edits import Edit
from loom_partitions.window import Window, apply, fold

# Puts a snapshot of the first window, history as in the second: its name, and the last heartbeat.
PutSnapshot = Callable[[Window, Window, str], tuple[str, float]]
Tried = tuple[int, int]  # levels that were crossed when none found a cut, tokens then
NEVER: Tried = (-1, 0)
REFUSED_SHARE = 0.6  # of a request that was refused, when nobody says how large it is
LESS = 0.7  # of a refused request: so much smaller it is worth a try, with what came in whole
ASKED_SHARE = 0.5  # of the request, when the model itself asks for a cut
LOG = getLogger("loom")


class DecidedCuts(Struct, frozen=True):
    """The cuts decided for a window: `records` to commit, the window `after` them, and all their
    `edits`.

    `tried` is (number of levels that were tried and found no cut, the window's tokens at that
    time), NEVER if no level was tried."""

    records: tuple[r.Record, ...]
    after: Window
    edits: tuple[Edit, ...] = ()
    tried: Tried = NEVER

    def with_cut(self, made: CertifiedCut) -> DecidedCuts:
        """Return the decision with one more cut at the end."""
        record = made.record
        return DecidedCuts((*self.records, record), made.after, (*self.edits, *record.edits))


class CutDecision(Struct, frozen=True):
    """Decides by ρ and the policy which cuts a window gets."""

    policy: Policy
    cutter: Cutter
    notices: Notices
    snapshot: PutSnapshot

    def fullness(self, window: Window) -> float:
        """Return the share of the window's capacity that the next request takes, its notice
        included; 1.0 is full. The capacity excludes tokens that the provider adds unseen."""
        tokens = window.tokens.total + self.notices.reserve(window)
        return tokens / window.limits.capacity if window.limits.capacity > 0 else float("inf")

    def before_turn(self, window: Window) -> DecidedCuts:
        """Return the cuts that are due before a request is made. Raises BadInput, OverCapacity."""
        less = self.cutter.cut_media(window)
        relieved = DecidedCuts((), window).with_cut(less) if less else DecidedCuts((), window)
        if self.fullness(relieved.after) < self.policy.renew_at:
            made, tried = self._compression(relieved.after)
            if made is None:
                return replace(relieved, tried=tried)
            relieved = relieved.with_cut(made)
        if self.fullness(relieved.after) < self.policy.renew_at:
            return relieved
        return relieved.with_cut(self._renewal(relieved.after))

    def cuts_after_resize(self, window: Window, change: r.Resized) -> DecidedCuts:
        """Return the record of a change of size, and the cuts that bring ρ below the policy's
        `renew_at`. While calls are open nothing is cut."""
        relieved = DecidedCuts((change,), apply(window, change))
        while (
            not relieved.after.history.open_calls
            and self.fullness(relieved.after) >= self.policy.renew_at
        ):
            now = relieved.after
            made = self.cutter.compress(now, self.notices.widest_tokens(now), self.fullness(now))
            relieved = relieved.with_cut(made or self._renewal(now))
            if made is None:
                break  # nothing comes lower, however low the policy's mark is
        return relieved

    def requested_renewal(
        self, window: Window, history: int | None, keep: frozenset[int] = frozenset()
    ) -> DecidedCuts:
        """Return the renewal that a host asks for. At most `history` tokens of history remain; None
        means the usual number. The entries with the ids `keep` stay as they are while there is
        room."""
        target = None
        if history is not None:
            target = window.head_settled + self.notices.widest_tokens(window) + history
        return DecidedCuts((), window).with_cut(self._renewal(window, target, keep))

    def cuts_after_refusal(
        self, window: Window, refused: r.Overflowed, size: r.Metered | None
    ) -> DecidedCuts:
        """Return the record of a provider's refusal, and the cut that follows. `size` is the
        provider's count of the request, None if unknown."""
        told = (size, refused) if size else (refused,)
        now = fold(told, window)
        if refused.media is not None and (less := self.cutter.cut_media(now)):
            return DecidedCuts(told, now).with_cut(less)
        target = min(now.target, int(now.tokens.total * REFUSED_SHARE))
        came = sum(entry.tokens for entry in now.history.stream.unanswered)
        least = now.head_settled + self.notices.widest_tokens(now) + came + MINIMAL_TAIL
        if least <= LESS * now.tokens.total:  # without older history it is smaller by itself
            target = max(target, least)
        if size:
            # What it counted is the truth: so much of the request has to go.
            share = now.limits.low_water * now.limits.room / size.prompt_tokens
            least = self.notices.widest_tokens(now) + now.head_settled
            target = max(min(now.target, int(now.tokens.total * share)), least)
            target = min(
                target, renewal_ceiling(now)
            )  # a head too large for it is refused, never sent
        reserve = self.notices.widest_tokens(now)
        made = self.cutter.attempt(REACTIVE, self.cutter.cut_input(now, reserve, target))
        if made is None or made.after.tokens.total + reserve > target:
            made = self._renewal(now, target, refused=True)
        return DecidedCuts(told, now).with_cut(made)

    def _compression(self, window: Window) -> tuple[CertifiedCut | None, Tried]:
        """Return (cut or None, tried), where `tried` is as in `DecidedCuts`. Levels that found no
        cut are tried again only after the window has grown."""
        total, pressure = window.tokens.total, self.fullness(window)
        if window.sent.requested == "compact":
            target = min(window.target, int(total * ASKED_SHARE))
            level = max(pressure, self.policy.auto_at)
            return self.cutter.compress(
                window, self.notices.widest_tokens(window), level, target
            ), NEVER
        levels = len(list(crossed_levels(pressure, self.policy, self.cutter.levels)))
        tried, at = window.sent.tried
        grown = total - at >= self.policy.tuning.least_freed * window.limits.capacity / 2
        if levels == tried and not grown and not self.policy.layout.steps:
            return None, window.sent.tried
        made = self.cutter.compress(window, self.notices.widest_tokens(window), pressure)
        return made, NEVER if made else (levels, total)

    def _renewal(
        self,
        window: Window,
        target: int | None = None,
        keep: frozenset[int] = frozenset(),
        *,
        refused: bool = False,
    ) -> CertifiedCut:
        """Return the renewal of a window. Raises BadInput where the host refuses it."""

        def put(after: Window, record: r.Renewed) -> r.Renewed:
            """Store the snapshot of `window`. Return the renewal's record with its file's name."""
            name, beat = self.snapshot(window, after, RENEWAL)
            return replace(record, snapshot=name, beat=beat)

        reserve = self.notices.widest_tokens(window)
        made = self.cutter.renew(window, reserve, put, target, keep, refused=refused)
        if made is None:
            raise BadInput(
                f"on_cut refused renewal at ρ {self.fullness(window):.2f}, where the request no"
                " longer fits: allow it, or resize the window",
                VETOED,
            )
        return made


def log_changes(records: Iterable[r.Record], after: Window) -> None:
    """Log at level INFO each cut and renewal among committed records, and the tokens read ahead."""
    request = after.sent.turn + (not after.sent.turned)
    ahead = 0
    for record in records:
        ahead += record.ahead if isinstance(record, r.Brought) else 0
        if isinstance(record, r.Compressed | r.Renewed):
            what = (
                f"renewal to generation {record.generation}"
                if isinstance(record, r.Renewed)
                else record.level
            )
            before, then = record.certificate.before.total, record.certificate.after.total
            LOG.info("%s before request %d: %d to %d tokens", what, request, before, then)
    if ahead:
        LOG.info("read ahead before request %d: %d tokens", request, ahead)
