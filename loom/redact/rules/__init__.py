"""The usual rules, in tables by how a secret is recognized: its shape, its name, its place in a
command."""

from __future__ import annotations

from loom.redact.rules.command_secrets import COMMANDS
from loom.redact.rules.named_values import NAMES
from loom.redact.rules.prose import PROSE
from loom.redact.rules.provider_tokens import TOKENS
from loom.redact.rules.urls import HEADERS, URLS
from loom.redact.secret_rule import SecretRule


class UsualRules(tuple[SecretRule, ...]):
    """Loom's own rules (`loom.SECRETS`): a tuple. Its repr, and its pickle, hold only its name."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "loom.SECRETS"

    def __reduce__(self) -> str:
        return "SECRETS"


SECRETS = UsualRules((*TOKENS, *HEADERS, *NAMES, *URLS, *COMMANDS, *PROSE))

__all__ = ["SECRETS", "UsualRules"]
