"""A scripted agent that works through real tools in an 8,192-token window.

It needs no model, key, data or network: it reads the source of Loom and of Python's standard
library, which are wherever Loom is installed.
"""
