"""Secrets are replaced before anything is hashed, counted or written."""

from loom.redact.redactor import SECRETS, Redactor, Rules

__all__ = ["SECRETS", "Redactor", "Rules"]
