"""The usual rules, tables by what gives a secret away: its shape, a name, a place in a command."""

from loom.redact.rule import UsualRules
from loom.redact.rules.commands import COMMANDS
from loom.redact.rules.headers import HEADERS
from loom.redact.rules.names import NAMES
from loom.redact.rules.prose import PROSE
from loom.redact.rules.tokens import TOKENS
from loom.redact.rules.urls import URLS

SECRETS = UsualRules((*TOKENS, *URLS, *HEADERS, *NAMES, *COMMANDS, *PROSE))

__all__ = ["SECRETS"]
