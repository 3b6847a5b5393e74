"""rel: BM25 between an entry and the present focus, over the entries of the window.

Terms are words split at case and punctuation, and bigrams of CJK text, which has no spaces. The
focus is the goal, the plan's current item and what the last steps said and asked for. Constants
k1 and b are the usual ones. An entry that shares no term scores 0; the caller decides what that
means (age alone: the newest stay).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

K1 = 1.2
B = 0.75
WORD = re.compile(r"[A-Z]?[a-z]{2,}|[A-Z]{2,}(?![a-z])|\d{2,}")
CJK = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
MOST = 4_000  # characters of one entry that are looked at, from each end


def terms(text: str) -> list[str]:
    """The terms of a text, lower-cased."""
    if len(text) > 2 * MOST:
        text = text[:MOST] + " " + text[-MOST:]
    found = [word.lower() for word in WORD.findall(text)]
    for run in CJK.findall(text):
        found += [run[at : at + 2] for at in range(max(len(run) - 1, 1))]
    return found


def relevance(documents: Sequence[str], focus: str) -> list[float]:
    """BM25 of each document against the focus, scaled to 0..1, in their order."""
    import numpy as np  # when first used: most turns score nothing

    wanted = set(terms(focus))
    counts = [Counter(term for term in terms(text) if term in wanted) for text in documents]
    frequency = Counter(term for count in counts for term in count)
    if not frequency:
        return [0.0] * len(documents)
    lengths = np.array([max(len(text), 1) for text in documents], dtype=float)
    norm = K1 * (1 - B + B * lengths / lengths.mean())
    scores = np.zeros(len(documents))
    for term, n in frequency.items():
        idf = math.log(1 + (len(documents) - n + 0.5) / (n + 0.5))
        tf = np.array([count[term] for count in counts], dtype=float)
        scores += idf * tf * (K1 + 1) / (tf + norm)
    return [float(score) for score in scores / scores.max()]
