"""Estimate the next request's size, and an upper bound of it, from the sizes a provider reported.

Theory of operation. Providers count tokens their own way, add a prompt nobody shows, and report the
size of every request with the reply. A report is right about all that its request held; only the
texts added since have to be estimated: estimate = last report + ratio × tokens added since.

*Ratio.* Each pair of neighbouring samples that grew gives a slope; the weighted median of the
slopes is the ratio (a slope weighs the tokens of its growth, capped, so that one large result does
not decide alone). The prior takes part as if it were `PRIOR` such pairs, so it rules while there
are few. The same list gives the slopes of the bound: those that lie `TAIL` from either end. Where
the ratio is above all that the prior allows, the model's tokenizer is not the assumed one, and how
dense a text can be for it is unknown: the bound takes `OTHER`, the slope of the densest tokenizer
that has a prior.

*Anchor.* A report that differs from the expected size by more than growth explains is a surprise. A
single surprise is an outlier: a proxy that leaves cached tokens out, a gateway that adds some. When
the next report continues from the surprise, the prompt did change, and the line of believed samples
goes through both. While the prior rules, no usual slope is known yet, and any slope a tokenizer may
have is believed. A request sent after a cut, or one that lost many tokens, was written anew: its
report is nearer than any expectation carried across the cut, and is believed at once. Reports that
no tokenizer could give are never believed.

*Margin.* Errors of one step have long tails: results whose text is dense, and a reminder or a file
that a client adds unseen, which costs the same number of tokens whatever the request's size. So the
bound lies `UNSEEN` tokens above the last report, and no less than the share `MARGIN` of that
report. While few errors are known they say little of the next error: with n known errors the next
exceeds them all with a chance of 1 in n + 1, as conformal bounds count, and so the margin is larger
by the share `FEW` / (n + 1) of itself. 64 samples cannot show a 99th percentile, so a multiple of
the 90th stands for it once there are `ENOUGH` errors. A report above the expected size that is not
believed yet raises the bound at once. No margin is larger than `MOST`.

The constants are judgements, made while looking at two sets of recorded coding sessions (`python -m
benchmarks calibration`): 0.2 % and 0.5 % of their requests exceed the bound, whose median lies 1.9
% and 2.3 % above the reported size."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from math import ceil
from statistics import median

from msgspec import Struct

from loom_partitions.limits import Sample, Scale

KEPT = 64  # samples looked at, the last ones: as many as a window keeps
PRIOR = 3  # pairs of samples the prior counts for
OTHER = 1.36  # `high` of a model whose reports are above its prior's: the highest in `table.py`
CAP = 4  # a pair weighs at most so many times the median pair
TAIL = 0.05  # share of growth whose slope is above `rise`, and below `fall`
SANE = 4.0  # no tokenizer is so many times the prior's, up or down …
LESS = 2.5  # … nor is a whole request: a report below leaves out what was cached
NEAR = 0.025  # of a report: what growth need not explain
LOST = 0.25  # of a request: with more gone, it was written anew …
LIKELY = 1.6  # … and its report is believed when it is less than so many times off
MARGIN = 0.015  # of a report: the least a bound lies above it
UNSEEN = 1_500  # tokens a client may add unseen to one request
FEW = 4  # by so many parts of n + 1 the margin is larger with n errors known
ENOUGH = 10  # errors before they speak for the margin
MOST = 0.045  # of a report: the most it lies above it
SEEN = 16  # samples that speak for what is hidden
STRETCH = 4.0  # from the 90th percentile of errors to beyond the 99th

Pair = tuple[float, float]  # slope, weight


class Calibration(Struct, frozen=True):
    """The expected size of a model's next request, learnt from the sizes a provider reported.

    `ratio` is the number of provider tokens for one token counted by Loom. `hidden` is the number
    of provider tokens that each request has beside the window. `scale` gives the upper bound,
    `samples` is the number of reports that were believed, and `anchor` the last believed sample."""

    ratio: float
    hidden: int
    scale: Scale
    samples: int
    anchor: Sample = Sample(0, 0)

    def estimate(self, tokens: int) -> int:
        """Return the expected provider tokens of a request. `tokens` is its size as Loom counts."""
        more = tokens - self.anchor.tokens
        return max(self.anchor.reported + round(self.ratio * more), 0)

    def bound(self, tokens: int) -> int:
        """Return an upper bound of a request's provider tokens. `tokens` is its size as Loom
        counts."""
        return self.scale.bound(tokens)


class _Slopes(Struct, frozen=True):
    """Provider tokens for one token counted by Loom: `mid` is the expected number; `low` and `high`
    are the ends of the usual range."""

    low: float
    mid: float
    high: float

    def error_between(self, before: Sample, after: Sample) -> float:
        """Return actual minus expected size of the report `after`, in provider tokens."""
        return after.reported - before.reported - self.mid * (after.tokens - before.tokens)


def calibrate(samples: Sequence[Sample], model: str, ratio: float, high: float) -> Calibration:
    """Return the Calibration of `model`. `samples` are the reported sizes, oldest first; samples of
    other models are ignored. `ratio` and `high` are the median and the 90th percentile of provider
    tokens for one token counted by Loom, used until there are enough reports."""
    prior = _Slopes(ratio * ratio / max(high, ratio), ratio, max(high, ratio))
    known = [sample for sample in samples if sample.model == model][-KEPT:]
    sane = [sample for sample in known if sample.reported * LESS > max(ratio * sample.tokens, 1)]
    if not sane:
        return Calibration(ratio, 0, Scale(0, 0, prior.high, prior.high), 0)
    slopes = _slopes_of_pairs(sane, prior)
    if slopes.mid > prior.high * (1 + NEAR):
        prior = _Slopes(prior.low, prior.mid, max(prior.high, OTHER))
        slopes = _slopes_of_pairs(sane, prior)
    line = _believed_samples(sane, slopes, prior)
    slopes = _slopes_of_pairs(line, prior)
    last = line[-1]
    # What a provider adds is never negative: fewer tokens cannot cost less than their share.
    fall = min(slopes.low, last.reported / max(last.tokens, 1))
    above = _bound_margin(line, slopes, sane[-1])
    # A provider leaves uncounted what another model thought. A cut may put texts in its place that
    # are counted: until the reports go on behind a cut, the bound starts from what all would cost.
    seen = any(sample.anew for sample in line[1:])
    least = last.reported if seen else max(last.reported, round(slopes.mid * last.tokens))
    scale = Scale(last.tokens, least + above, slopes.high, fall)
    return Calibration(slopes.mid, _hidden_tokens(line[-SEEN:], slopes.mid), scale, len(line), last)


def _slopes_of_pairs(samples: Sequence[Sample], prior: _Slopes) -> _Slopes:
    """Return the expected slope and the usual range, computed from neighbouring samples. `prior`
    counts as `PRIOR` pairs."""
    grown: list[Pair] = []
    for before, after in pairwise(samples):
        slope = _slope_between(before, after, prior)
        if slope is not None:
            grown.append((slope, after.tokens - before.tokens))
    usual = median(weight for _, weight in grown) if grown else 1.0
    pairs = [(slope, min(weight, CAP * usual)) for slope, weight in grown]
    given = PRIOR * usual
    mid = _weighted_quantile([*pairs, (prior.mid, given)], 0.5)
    low = _weighted_quantile([*pairs, (prior.low, given)], TAIL)
    high = _weighted_quantile([*pairs, (prior.high, given)], 1.0 - TAIL)
    return _Slopes(min(low, mid), mid, max(high, mid))


def _slope_between(before: Sample, after: Sample, prior: _Slopes) -> float | None:
    """Return the slope between two samples: the growth in provider tokens, divided by the growth in
    counted tokens. None if the request did not grow, or if the slope is implausible."""
    tokens = after.tokens - before.tokens
    slope = (after.reported - before.reported) / tokens if tokens > 0 else 0.0
    return slope if prior.mid / SANE <= slope <= prior.mid * SANE else None


def _weighted_quantile(pairs: Iterable[Pair], share: float) -> float:
    """Return a weighted quantile of slopes. `pairs` are (slope, weight); `share` is the quantile,
    such as 0.5 for the median."""
    ordered = sorted(pairs)
    left = share * sum(weight for _, weight in ordered)
    for slope, weight in ordered:
        left -= weight
        if left <= 0:
            return slope
    return ordered[-1][0]


def _believed_samples(samples: Sequence[Sample], slopes: _Slopes, prior: _Slopes) -> list[Sample]:
    """Return the samples whose reports agree with earlier or later reports."""
    line = [samples[0]]
    surprise: Sample | None = None
    for sample in samples[1:]:
        rewritten = sample.anew or sample.tokens < (1.0 - LOST) * line[-1].tokens
        likely = rewritten and _is_plausible(line[-1], sample, slopes.mid)
        early = len(line) <= PRIOR and _slope_between(line[-1], sample, prior) is not None
        if likely or early or _continues_report(line[-1], sample, slopes.mid, slopes.mid):
            line.append(sample)
            surprise = None
        elif surprise and _continues_report(surprise, sample, prior.mid / SANE, prior.mid * SANE):
            line += [surprise, sample]
            surprise = None
        else:
            surprise = sample
    return line


def _is_plausible(before: Sample, after: Sample, slope: float) -> bool:
    """Tell whether the report `after` of a rewritten request is near its expected size."""
    foretold = before.reported + slope * (after.tokens - before.tokens)
    most = max(LIKELY * foretold, before.reported)
    return foretold < LIKELY * after.reported and after.reported <= most


def _continues_report(before: Sample, after: Sample, low: float, high: float) -> bool:
    """Tell whether the report `after` follows from the report `before` with a slope from `low` to
    `high`. Differences up to the share `NEAR` are allowed."""
    more = after.tokens - before.tokens
    least, most = sorted((before.reported + low * more, before.reported + high * more))
    near = NEAR * max(before.reported, least)
    return least - near <= after.reported <= most + near


def _bound_margin(line: Sequence[Sample], slopes: _Slopes, newest: Sample) -> int:
    """Return the number of tokens to add to the last believed report for the upper bound. `line`
    are the believed samples, `newest` is the latest sample, believed or not."""
    last = line[-1].reported
    errors = sorted(
        max(slopes.error_between(before, after), 0.0) / after.reported
        for before, after in pairwise(line)
    )
    seen = STRETCH * errors[int(0.9 * len(errors))] if len(errors) >= ENOUGH else 0.0
    least = max(MARGIN, UNSEEN / last) * (1 + FEW / (len(errors) + 1))
    surprise = max(slopes.error_between(line[-1], newest), 0.0) / last
    return ceil(last * min(max(least, seen) + surprise, MOST))


def _hidden_tokens(line: Sequence[Sample], ratio: float) -> int:
    """Return the median of the provider tokens in a report that `ratio` does not explain; 0 if too
    few reports in `line` have unexplained tokens."""
    rests = sorted(sample.reported - ratio * sample.tokens for sample in line)
    sure = rests[len(rests) // 4] > NEAR * line[-1].reported
    return round(median(rests)) if sure else 0
