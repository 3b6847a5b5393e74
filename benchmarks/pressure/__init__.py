"""Pressure: seeded scenarios driven through real contexts, and what of them still stands.

`grammar` words everything anew for each seed, `script` and `scenarios` write the sessions, `checks`
judge a rendered window, `run` drives, `command` prints.
"""

from benchmarks.pressure.command import pressure

__all__ = ["pressure"]
