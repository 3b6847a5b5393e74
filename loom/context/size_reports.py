"""What providers report about the size of requests in tokens, and how the window's scale (provider
tokens per token that Loom counted) follows from it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from itertools import islice, takewhile
from math import ceil

from msgspec.structs import replace

from loom.compress.media import entries_with_media, sent_media
from loom.errors import OverCapacity
from loom.providers.counts import Counter, counter_for
from loom.providers.counts.calibration import NEAR
from loom.providers.counts.vocabulary import counts_exactly, encoding_of
from loom.providers.render.render import LEAST
from loom.session.meter import model_calibration, model_of, window_calibration
from loom_partitions.limits import Sample, Scale
from loom_partitions.message import UserTurn
from loom_partitions.records import Metered
from loom_partitions.window import Window, apply

ABSURD = 4  # times the window, or what we counted: no request is so large
ODD = 0.1  # of what attachments were counted for, or of a report: less is not told apart
# Of reports that stay where they were while requests grow so many times.
FIXED, GREW, SMALLEST = 0.01, 1.2, 512
SPARE = 1.05  # on a ratio that was measured on what the window holds, for what comes later
CUT = "input-cut"  # the event, and what it says
CUT_TEXT = (
    "the server read {told:,} tokens of a request of about {asked:,}, as of a smaller one before:"
    " it leaves out the rest unsaid; resize the window to what it takes"
)


def report_readings(window: Window, prompt_tokens: int, model: str) -> tuple[Metered, ...]:
    """Return the possible readings of a provider's token count for the last request, likeliest
    first; () for an implausible count. Each is a record with a scale: that of all reports, then
    (unless Loom counts exactly) that of this report alone, then the old scale."""
    most = ABSURD * max(window.limits.window, window.sent.asked)
    if not window.sent.asked or not 1 <= prompt_tokens <= most:
        return ()
    name = window.config.model or model
    shown = _sent_media_tokens(window)
    counted = sum(shown.values())
    charged = _charged_media_tokens(window, shown, prompt_tokens, name)
    tokens = window.sent.asked - counted + sum(charged.values())
    odd = abs(counted - sum(charged.values())) > ODD * counted
    media = tuple((id, max(one, LEAST)) for id, one in charged.items()) if odd else ()
    sample = Sample(tokens, prompt_tokens, name, window.sent.anew)
    ratio = prompt_tokens / tokens
    scales = [model_calibration((*window.sent.samples, sample), name).scale, window.limits.scale]
    if has_exact_counts_for(window, name):
        scales[0] = _scale_not_below_counts(scales[0])
    else:
        scales.insert(1, Scale(0, 0, ratio, ratio))
    return tuple(Metered(prompt_tokens, name, tokens, scale, media) for scale in scales)


def has_exact_counts_for(window: Window, model: str) -> bool:
    """Return True if the window counts tokens in this model's own encoding."""
    return counts_exactly(model, window.config.encoding)


def _scale_not_below_counts(scale: Scale) -> Scale:
    """Return the scale, raised where it makes a request smaller than the tokens counted for it."""
    rise = max(scale.rise, 1.0)
    if scale.reported < scale.tokens:
        return Scale(scale.tokens, scale.tokens, rise, 1.0)
    return replace(scale, rise=rise, fall=min(scale.fall, 1.0))


def contradicting_size(window: Window, limit: int) -> int:
    """Return the tokens of an earlier answered request that is larger than `limit`, the size a
    provider's refusal states (if `limit` is 0: larger than the refused request). Return 0 without
    such a request, or at the second refusal in a row."""
    taken, model = window.sent.accepted
    if not taken or window.limits.doubted is not None:
        return 0
    if not limit:
        return taken if taken > window.sent.asked else 0
    size = (
        taken
        if has_exact_counts_for(window, model_of(window) or model)
        else window_calibration(window).estimate(taken)
    )
    return taken if 0 < limit < size else 0


def _sent_media_tokens(window: Window) -> dict[int, int]:
    """Return {entry id: tokens} for the attachments in the last request, as Loom counted them."""
    stream, shared = window.history.stream, window.sent.shared
    items = islice(stream, shared) if shared >= 0 else stream
    found = ((item.id, sent_media(item)) for item in items if isinstance(item, UserTurn))
    return {id: media.tokens for id, media in found if media is not None}


def _charged_media_tokens(
    window: Window, shown: Mapping[int, int], prompt_tokens: int, model: str
) -> dict[int, int]:
    """Return {entry id: tokens} for the attachments in the last request, as the provider seems to
    have charged them: the tokens that the texts do not explain are charged to the attachments.
    `shown` has Loom's counts for them."""
    counted = sum(shown.values())
    if not counted:
        return {}
    texts = max(window.sent.asked - counted, 1)
    # By Loom's counts, a cut would seem to free tokens that attachments never took.
    left = prompt_tokens - model_calibration(window.sent.samples, model).estimate(texts)
    if left <= counted:
        share = max(left, 0) / counted
        return {entry: ceil(tokens * share) for entry, tokens in shown.items()}
    guessed = {
        entry.id: shown[entry.id]
        for entry in entries_with_media(window)
        if entry.id in shown and not entry.text.size
    }
    more = left - counted if left - counted > ODD * prompt_tokens else 0
    return {
        entry: tokens + more * guessed.get(entry, 0) // max(sum(guessed.values()), 1)
        for entry, tokens in shown.items()
    }


def scale_for_model(
    window: Window, model: str, count: Counter, shown: Callable[[], Iterable[str]]
) -> Scale:
    """Return the scale (provider tokens per token that Loom counted) after a change to `model`. If
    this model has another encoding and no reports yet, the window's texts (`shown`) are counted in
    both encodings."""
    known = model_calibration(window.sent.samples, model).scale
    if any(sample.model == model for sample in window.sent.samples):
        return known
    encoding = encoding_of(model)
    if encoding == count.encoding or known.rise > 1.0:
        return known
    texts = list(shown())
    ours, theirs = sum(count.many(texts)), sum(counter_for(encoding=encoding).many(texts))
    ratio = max(theirs / ours, 1.0) * SPARE if ours else SPARE
    return Scale(0, 0, ratio, ratio)


def is_input_cut(window: Window, prompt_tokens: int) -> bool:
    """Return True if the server seems to read only a part of the request: it reports the same size
    as for an earlier, smaller request. (Ollama ignores all beyond `num_ctx` silently; its FAQ on
    the context window, 2026.) False if this model ever reported a larger size."""
    near, model = FIXED * prompt_tokens, model_of(window)
    known = [one for one in window.sent.samples if one.model == model]
    if any(one.reported - prompt_tokens > near for one in known):
        return False
    same = takewhile(lambda one: abs(one.reported - prompt_tokens) <= near, reversed(known))
    least = min((one.tokens for one in same), default=window.sent.asked)
    return prompt_tokens >= SMALLEST and window.sent.asked >= max(GREW * least, least + SMALLEST)


def _least_foretold_tokens(window: Window) -> float:
    """Return the lowest token count that earlier reports let the window expect for the last
    request."""
    known, asked = window_calibration(window), window.sent.asked
    if not known.samples:
        return window.limits.scale.bound(asked)
    return (1 - NEAR) * known.estimate(asked)


def fitting_reading(
    window: Window,
    check: Callable[[Window], None],
    prompt_tokens: int,
    model: str,
    *,
    refused: bool = False,
    whole: int = 0,
) -> Metered | None:
    """Return the first of `report_readings` that leaves the window room for a history (`check`
    raises OverCapacity without room). None if no reading fits and `whole` is 0.

    `whole` is the provider's count of all that was sent, if more than the window's request was
    sent: `whole` is recorded even if no reading fits. `refused` is True if the count comes from a
    refusal: readings that make the request smaller than this count are skipped."""
    if refused and prompt_tokens < _least_foretold_tokens(window):
        return None
    for record in report_readings(window, prompt_tokens, model):
        if refused and record.scale.bound(window.sent.asked) < prompt_tokens:
            continue
        with suppress(OverCapacity):
            check(apply(window, record))
            return replace(record, whole=whole)
    sent, window_held = window.sent, window.limits.window + window.sent.held
    if 1 <= whole <= ABSURD * max(window_held, sent.asked + sent.beside):
        return Metered(0, window.config.model or model, scale=window.limits.scale, whole=whole)
    return None
