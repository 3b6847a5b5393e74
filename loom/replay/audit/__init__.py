"""The audit of a replay: the laws checked from outside, on what would be sent."""

from loom.replay.audit.audit import Audit, message_tokens
from loom.replay.audit.findings import BROKEN, SENT, Findings

__all__ = ["BROKEN", "SENT", "Audit", "Findings", "message_tokens"]
