"""Secrets are replaced by `[redacted:kind]` before anything is hashed, counted or written."""

from loom.redact.redactor import Redactor
from loom.redact.rules import SECRETS
from loom.redact.secret_rule import Allowed, Rules, SecretRule

__all__ = ["SECRETS", "Allowed", "Redactor", "Rules", "SecretRule"]
