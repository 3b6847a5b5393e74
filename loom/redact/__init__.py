"""Secrets are replaced before anything is hashed, counted or written."""

from loom.redact.redactor import Redactor
from loom.redact.rule import Allowed, Rules, SecretRule
from loom.redact.rules import SECRETS

__all__ = ["SECRETS", "Allowed", "Redactor", "Rules", "SecretRule"]
