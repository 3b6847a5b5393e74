"""Finds what a recorded session lost when its client compacted the window, what the model had to
read or run again, and what a Loom window of that size would have kept.

session → `calls` → `going_back` (what was read, run and searched again)
        → `in_use` (things in use, and whether a text names them) → `losses`"""

from loom.replay.lost.losses import SessionLoss as SessionLoss
from loom.replay.lost.losses import losses as losses
