"""What reports of request sizes lead to: an estimate, and a bound above it."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.providers.counts.calibration import MARGIN, MOST, UNSEEN, Calibration, calibrate
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


GROWTHS = st.lists(st.integers(100, 5_000), min_size=10, max_size=30)
SLOPES = st.floats(0.7, 2.5)
HIDDEN = st.integers(0, 60_000)
MODELS = st.sampled_from([MODEL, "model-b"])
ANY = st.lists(
    st.builds(Sample, st.integers(0, 200_000), st.integers(-10, 2_000_000), MODELS), max_size=80
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
    margins = [
        learned(samples[:known]).bound(samples[known - 1].tokens) / samples[known - 1].reported - 1
        for known in range(2, len(samples) + 1)
    ]
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


def test_what_a_provider_leaves_uncounted_may_be_gone_in_the_next_request() -> None:
    """Thoughts of another model took 950 counted tokens that were never reported; a cut puts as
    many tokens of a result in their place, and the bound holds the report of them.
    """
    known = learned([Sample(4_202, 3_243, MODEL), Sample(4_548, 3_509, MODEL)], 1.07, 1.25)
    assert known.estimate(4_548) == 3_509
    assert known.bound(6_323) >= 6_158


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
