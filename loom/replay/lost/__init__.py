"""What a recorded session lost when its client compacted its window, what it went back for, and
what Loom would have kept at that size.

session → `calls` → `going_back` (what was read, run and asked once more)
        → `in_use` (what was in use, and whether a text names it) → `losses`"""

from loom.replay.lost.losses import SessionLoss as SessionLoss
from loom.replay.lost.losses import losses as losses
