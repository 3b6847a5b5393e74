"""The limits of a workspace: its window, the tokens kept for the reply, and how deep cuts go."""

from __future__ import annotations

from msgspec.structs import replace

from loom.errors import OverCapacity
from loom.policy import Policy
from loom.providers.table import SMALL_WINDOWS, best_row_for
from loom_partitions.limits import Limits

WINDOW = 128_000
BELOW = 0.01  # of the capacity: a cut ends so far below the first mark, or lower
LEAST_CAPACITY = 512  # tokens: below it not even a dashboard and a line fit
REPLY_SHARE = 4  # without a stated reply, a quarter of the window …
REPLY_MOST = 8_192  # … and at most this
EAGER_LAYOUT = {8_192: 3_492}  # window → reply of the documented small-window layout


def resized_limits(limits: Limits, window: int | None, reply: int | None, preset: str) -> Limits:
    """Return the limits after a change of `window` or `reply`, in tokens. None means no change.

    With a new window, a reply size that the host gave shrinks if the window is too small for it. A
    size that the host never gave becomes the preset's default. Raises OverCapacity if window and
    reply leave no room for a history."""
    size = limits.window if window is None else window
    named, usual = limits.named, default_reply_tokens(limits.window, preset)
    if not named and limits.reply != usual:
        named = limits.reply  # a workspace that was made before this was recorded
    if reply is not None:
        kept, named = reply, named if reply == limits.reply else reply
    elif window is None:
        kept = limits.reply
    elif named:
        kept = min(named, max(size // REPLY_SHARE, default_reply_tokens(size, preset)))
    else:
        kept = default_reply_tokens(size, preset)
    if kept < 1 or size - kept < LEAST_CAPACITY:
        raise OverCapacity(
            "working",
            LEAST_CAPACITY,
            size - kept,
            f"a window of {size:,} less a reply of {kept:,} cannot hold a history",
        )
    return replace(limits, window=size, reply=kept, named=named)


def default_reply_tokens(window: int, preset: str) -> int:
    """Return the number of tokens reserved for the reply if the caller gives none."""
    if preset == "eager" and window in EAGER_LAYOUT:
        return EAGER_LAYOUT[window]
    return min(REPLY_MOST, window // REPLY_SHARE)


def new_limits(policy: Policy, window: int | None, reply: int | None, model: str = "") -> Limits:
    """Return the limits of a new workspace. The default `window` is 128,000 tokens, or the window
    of `model` if that window is known and smaller."""
    size = best_row_for(model, SMALL_WINDOWS) or WINDOW if window is None else window
    kept = default_reply_tokens(size, policy.preset) if reply is None else reply
    limits = Limits(
        window=size,
        reply=kept,
        named=0 if reply is None else kept,
        low_water=policy.low_water,
        served=policy.tuning.served,
        plenty=policy.tuning.plenty,
        most=max(policy.low_water, policy.snip_at - BELOW),
    )
    return resized_limits(limits, size, kept, policy.preset)
