"""Small hand-made sessions: a context on real files."""

from tests.kit.opened import PLAIN, opened_with

# Fresh workspaces of 16,000 tokens.
opened = opened_with("", window=16_000, policy=PLAIN)
