"""Small sessions on real files: steps by tool, arguments and result, and their catalog."""

from tests.kit.opened import PLAIN, opened_with

# Fresh workspaces of 32,000 tokens.
opened = opened_with("", window=32_000, policy=PLAIN)
