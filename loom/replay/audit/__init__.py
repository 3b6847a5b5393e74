"""The audit of a replay: checks Loom's laws on the requests that would be sent."""

from loom.replay.audit.audit import Audit, message_tokens
from loom.replay.audit.findings import BROKEN, SENT, Findings

__all__ = ["BROKEN", "SENT", "Audit", "Findings", "message_tokens"]
