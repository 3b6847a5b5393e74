"""Secrets as a working engineer meets them, made without knowledge of any rule that finds them.

A second generator beside the one that grew with the rules: what a rule misses here, it was fitted
to miss. `KINDS` has a maker for each kind.
"""

from __future__ import annotations

from tests.kit.secrets.planted import Maker
from tests.kit.secrets.second import files, keys, services, shown, vendors

ROOMS = (vendors, services, files, shown, keys)
KINDS: dict[str, Maker] = {kind: maker for room in ROOMS for kind, maker in room.KINDS.items()}
