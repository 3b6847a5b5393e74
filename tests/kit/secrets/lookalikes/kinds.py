"""Texts that look like secrets and are none, as an agent reads and edits them every day."""

from __future__ import annotations

from tests.kit.secrets.lookalikes import in_code, placeholders, public, sums

ROOMS = (placeholders, in_code, public, sums)
# The shapes of each kind, with the slots that are drawn anew for each seed.
LOOKALIKES: dict[str, str] = {kind: block for room in ROOMS for kind, block in room.KINDS.items()}
