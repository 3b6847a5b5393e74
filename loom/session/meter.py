"""The model that a window's requests go to, its provider, and how it counts tokens."""

from __future__ import annotations

from functools import lru_cache

from loom.providers import Provider, provider_of
from loom.providers.counts import Counter
from loom.providers.counts.calibration import Calibration, calibrate
from loom.providers.counts.vocabulary import counts_exactly
from loom.providers.formats import FORMATS
from loom_partitions.limits import MediaLimits, Sample, Scale
from loom_partitions.window import Window


def model_of(window: Window) -> str:
    """Return the name of the model, from the host or else from the last reply; "" if unknown."""
    return window.config.model or (window.sent.samples[-1].model if window.sent.samples else "")


def window_provider(window: Window) -> Provider:
    """Return the provider of the window's model."""
    return provider_of(model_of(window))


def formats_of(window: Window) -> tuple[str, ...]:
    """Return the wire formats of the model's provider, or all formats for an unknown provider."""
    return window_provider(window).formats or tuple(FORMATS)


def media_limits(window: Window) -> MediaLimits:
    """Return the model's published limits for images and documents, lowered after refusals."""
    from loom.providers.media.media_tokens import media_limits_of

    limits = media_limits_of(model_of(window), window.limits.window)
    return limits.within(window.limits.media or limits)


def window_calibration(window: Window) -> Calibration:
    """Return how the provider's token counts relate to Loom's for the window's model."""
    return model_calibration(window.sent.samples, model_of(window))


def is_counted_exactly(window: Window, counter: Counter) -> bool:
    """True when the counter counts exactly as the window's model does; for an unknown model, when
    the counter claims to be exact."""
    model = model_of(window)
    return counts_exactly(model, counter.encoding) if model else counter.exact


@lru_cache(maxsize=64)
def model_calibration(samples: tuple[Sample, ...], model: str) -> Calibration:
    """Return how the provider's token counts, as reported, relate to Loom's for a model."""
    found = provider_of(model)
    return calibrate(samples, model, found.ratio, found.high)


def prior_scale(model: str) -> Scale:
    """Return the scale from Loom's token counts to the provider's, for a model without reports."""
    return model_calibration((), model).scale
