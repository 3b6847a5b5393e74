"""A scripted agent that works through real tools in an 8,192-token window.

The agent needs no model, key, data or network: it reads Python's standard library, which is there
wherever Loom is installed."""
