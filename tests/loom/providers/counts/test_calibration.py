"""What reports of request sizes lead to: an estimate, and a bound above it."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.providers.counts.calibration import (
    KEPT,
    MARGIN,
    MOST,
    UNSEEN,
    Calibration,
    calibrate,
)
from loom_partitions.limits import Sample, Scale
from tests.kit.cases import all_cases

MODEL = "model-a"
RATIO, HIGH = 1.2, 1.4


def learned(samples: list[Sample], ratio: float = RATIO, high: float = HIGH) -> Calibration:
    """The calibration of MODEL from `samples`."""
    return calibrate(samples, MODEL, ratio, high)


def linear(growths: list[int], hidden: int = 40_000, slope: float = 1.2) -> list[Sample]:
    """Samples of a provider that counts `hidden` + `slope` for each token."""
    samples, tokens = [], 0
    for growth in growths:
        tokens += growth
        samples.append(Sample(tokens, round(hidden + slope * tokens), MODEL))
    return samples


def margin_of(samples: list[Sample]) -> float:
    """How far the bound lies above the last report, as a share of it."""
    return learned(samples).bound(samples[-1].tokens) / samples[-1].reported - 1


STEADY = linear([1_000] * 12)
NEXT = STEADY[-1].tokens + 1_000
TRUTH = round(40_000 + 1.2 * NEXT)


@all_cases(
    "samples",
    [
        [],
        [Sample(1_000, 50_000, "model-b")],
        [Sample(1_000, 0, MODEL)],
        [Sample(1_000, -5, MODEL)],
        [Sample(50_000, 8, MODEL), Sample(51_000, 9, MODEL), Sample(52_000, 9, MODEL)],
    ],
)
def test_nothing_to_learn_from_leaves_the_prior(samples: list[Sample]) -> None:
    """Without a report a tokenizer could give for this model, the prior stands alone."""
    known = learned(samples)
    assert known == Calibration(RATIO, 0, Scale(0, 0, HIGH, HIGH), 0)
    assert known.estimate(10_000) == 12_000
    assert known.bound(10_000) == 14_000


def test_one_report_anchors_the_estimate() -> None:
    """After one report only what is new is estimated, by the prior."""
    known = learned([Sample(2_000, 45_000, MODEL)])
    assert known.estimate(2_000) == 45_000
    assert known.estimate(3_000) == 46_200
    assert 45_000 + 1_400 < known.bound(3_000) < 1.05 * 46_200
    assert known.samples == 1


@pytest.mark.parametrize(("hidden", "slope"), [(0, 1.2), (0, 1.3), (700, 1.2)])
def test_what_a_ratio_explains_is_not_hidden(hidden: int, slope: float) -> None:
    """There is no intercept where a usual ratio alone may lead to the report."""
    assert learned(linear([5_000] * 12, hidden, slope)).hidden == 0


def test_a_hidden_prompt_is_found() -> None:
    """A prompt the provider adds unseen shows as the intercept."""
    assert learned(STEADY).hidden == pytest.approx(40_000, rel=0.01)


@all_cases("report", [0, 8, 900, 20_000, 41_000, 70_000, 300_000, 10_000_000])
@all_cases("place", range(12))
def test_one_outlier_changes_next_to_nothing(report: int, place: int) -> None:
    """A report that is absurd, far below or far above its neighbours is not believed alone."""
    samples = list(STEADY)
    samples[place] = Sample(samples[place].tokens, report, MODEL)
    known = learned(samples)
    assert known.estimate(NEXT) == pytest.approx(TRUTH, rel=0.03)
    assert TRUTH <= known.bound(NEXT) <= 1.06 * TRUTH


@all_cases("change", [-25_000, -10_000, 20_000, 90_000])
def test_two_reports_that_agree_are_believed(change: int) -> None:
    """A changed prompt is taken over with the second report of it, not with the first."""
    first, second = (
        Sample(STEADY[-1].tokens + more, STEADY[-1].reported + change + round(1.2 * more), MODEL)
        for more in (1_000, 2_000)
    )
    once, twice = learned([*STEADY, first]), learned([*STEADY, first, second])
    assert once.estimate(NEXT) == pytest.approx(TRUTH, rel=0.01)
    assert twice.estimate(second.tokens) == second.reported


def test_a_request_written_anew_is_believed_at_once() -> None:
    """After a cut the first report is nearer than what is foretold across the cut."""
    cut = Sample(2_000, 55_000, MODEL)
    known = learned([*STEADY, cut])
    assert known.estimate(cut.tokens) == cut.reported
    assert known.bound(cut.tokens) > cut.reported


def test_a_request_written_anew_may_hold_more_than_was_foretold() -> None:
    """What a client adds again after a cut is believed with the first report of it."""
    long = linear([10_000] * 12, hidden=0)
    cut = Sample(10_000, 40_000, MODEL)
    known = learned([*long, cut])
    assert known.estimate(cut.tokens) == cut.reported
    assert known.bound(cut.tokens + 1_000) > cut.reported + 1_200


def test_a_surprise_counts_for_the_bound_at_once() -> None:
    """A report above what was foretold moves no estimate alone, but the bound goes over it."""
    first = Sample(NEXT, TRUTH + 1_800, MODEL)
    known = learned([*STEADY, first])
    assert known.estimate(NEXT) == TRUTH
    assert known.bound(NEXT + 500) >= first.reported + 600


def test_a_smaller_request_falls_more_slowly_than_a_larger_one_rises() -> None:
    """The bound assumes neither that new tokens are cheap nor that lost ones were dear."""
    scale = learned(STEADY).scale
    assert 0 < scale.fall < learned(STEADY).ratio < scale.rise


def test_errors_widen_the_margin() -> None:
    """A provider that is hard to foretell is kept further away from, within limits."""
    rough = [
        Sample(sample.tokens, sample.reported + (600 if at % 2 else 0), MODEL)
        for at, sample in enumerate(STEADY)
    ]
    assert 2 * MARGIN < margin_of(rough) < 0.06
    even = [linear([1_000] * KEPT, hidden) for hidden in (10_000, 400_000)]
    assert margin_of(even[0]) == pytest.approx(UNSEEN / even[0][-1].reported, rel=0.1)
    assert margin_of(even[1]) == pytest.approx(MARGIN, rel=0.1)


def test_the_margin_stays_of_use() -> None:
    """However wildly a provider reports, the bound is within reach of its last report."""
    tokens = [sample.tokens for sample in STEADY]
    wild = [
        Sample(t, round((40_000, 60_000)[at // 3 % 2] + t), MODEL) for at, t in enumerate(tokens)
    ]
    known = learned(wild)
    assert known.samples > 10
    assert known.bound(wild[-1].tokens) <= 1.06 * known.estimate(wild[-1].tokens)


def test_one_large_result_is_not_the_whole_truth() -> None:
    """A single large text that takes more tokens than usual leaves the ratio where it was."""
    dear = [
        Sample(sample.tokens + 30_000, sample.reported + 48_000, MODEL) if at > 5 else sample
        for at, sample in enumerate(STEADY)
    ]
    known = learned(dear)
    assert known.ratio == pytest.approx(1.2, rel=0.01)
    assert known.estimate(dear[-1].tokens) == dear[-1].reported


def test_only_the_last_reports_count() -> None:
    """Work is bounded: what lies further back than the window keeps changes nothing."""
    long = linear([700] * (KEPT + 20))
    older = [Sample(sample.tokens, 3 * sample.reported, MODEL) for sample in long[:20]]
    assert learned([*older, *long[20:]]) == learned(long[20:])


def test_other_models_are_left_out() -> None:
    """Reports of another model between those of this one change nothing."""
    mixed = [one for sample in STEADY for one in (sample, Sample(sample.tokens, 9_000, "model-b"))]
    assert learned(mixed) == learned(STEADY)


GROWTHS = st.lists(st.integers(100, 5_000), min_size=10, max_size=30)
SLOPES = st.floats(0.7, 2.5)
HIDDEN = st.integers(0, 60_000)
ANY = st.lists(
    st.builds(
        Sample,
        st.integers(0, 200_000),
        st.integers(-10, 2_000_000),
        st.sampled_from([MODEL, "model-b"]),
    ),
    max_size=80,
)


@given(ANY, st.floats(0.5, 2.0), st.floats(1.0, 2.0), st.lists(st.integers(0, 10**7), min_size=2))
def test_the_bound_is_above_the_estimate_and_both_grow(
    samples: list[Sample], ratio: float, spread: float, sizes: list[int]
) -> None:
    """Whatever was reported: 0 ≤ estimate ≤ bound, more tokens take no less, always the same."""
    known = learned(samples, ratio, ratio * spread)
    assert known == learned(list(samples), ratio, ratio * spread)
    sizes.sort()
    estimates = [known.estimate(size) for size in sizes]
    bounds = [known.bound(size) for size in sizes]
    assert estimates == sorted(estimates)
    assert bounds == sorted(bounds)
    assert all(0 <= low <= high for low, high in zip(estimates, bounds, strict=True))
    assert 0 < known.scale.fall <= known.scale.rise


@given(GROWTHS, HIDDEN, SLOPES, st.integers(1, 20_000))
def test_a_linear_provider_is_learned(
    growths: list[int], hidden: int, slope: float, more: int
) -> None:
    """Ten samples of growth tell an exact line to 1 %, and the bound holds."""
    samples = linear(growths, hidden, slope)
    known = learned(samples)
    tokens = samples[-1].tokens + more
    truth = hidden + slope * tokens
    assert known.ratio == pytest.approx(slope, rel=0.01)
    assert known.estimate(tokens) == pytest.approx(truth, rel=0.01, abs=1)
    assert known.bound(tokens) >= truth


@given(st.lists(st.integers(100, 5_000), min_size=2, max_size=64), HIDDEN)
def test_the_margin_contracts(growths: list[int], hidden: int) -> None:
    """The more reports of a steady provider are known, the nearer the bound, down to MARGIN."""
    samples = linear(growths, hidden, RATIO)
    margins = [margin_of(samples[:known]) for known in range(2, len(samples) + 1)]
    rounding = 3 / samples[0].reported
    assert all(MARGIN <= margin <= MOST + rounding for margin in margins)
    assert all(after <= before + rounding for before, after in pairwise(margins))


@given(
    st.lists(st.tuples(st.integers(300, 4_000), st.integers(0, UNSEEN - 1)), min_size=2),
    st.floats(0.8, 2.0),
)
def test_what_a_client_adds_unseen_stays_within_the_bound(
    steps: list[tuple[int, int]], slope: float
) -> None:
    """Reminders of up to UNSEEN tokens, not two in a row, exceed no bound of a long request."""
    samples = linear([1_000] * 12, round(UNSEEN / MOST), slope)
    for growth, added in (step for one in steps for step in (one, (one[0], 0))):
        last = samples[-1]
        sample = Sample(last.tokens + growth, last.reported + round(slope * growth) + added, MODEL)
        assert sample.reported <= learned(samples).bound(sample.tokens)
        samples.append(sample)


@given(GROWTHS, HIDDEN, SLOPES, st.data())
def test_one_outlier_in_ten_changes_little(
    growths: list[int], hidden: int, slope: float, data: st.DataObject
) -> None:
    """Wherever it stands and however large it is, it moves the next estimate by less than 3 %."""
    samples = linear(growths, hidden, slope)
    place = data.draw(st.integers(0, len(samples) - 1))
    factor = data.draw(st.floats(0.0, 50.0))
    wrong = Sample(samples[place].tokens, round(samples[place].reported * factor), MODEL)
    tokens = samples[-1].tokens + data.draw(st.integers(0, 5_000))
    known = learned([*samples[:place], wrong, *samples[place + 1 :]])
    assert known.estimate(tokens) == pytest.approx(hidden + slope * tokens, rel=0.03, abs=2)
