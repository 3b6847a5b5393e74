"""`tools`: tokens of declared tools, all at once and in levels."""

from __future__ import annotations

from benchmarks.measures.cost.declared import declared_table, found_line, measure
from benchmarks.options import FromOne, Json
from benchmarks.show import end


def tools(*, count: FromOne = 60, json: Json = False) -> int:
    """Compare the tokens of declaring every tool with those of declaring level 1 and find_tool.

    Parameters
    ----------
    count
        Registered tools; the first 10 are of level 1, the next 20 of level 2.
    """
    report = measure(count)
    end(report, [] if json else [declared_table(report)], "" if json else found_line(report))
    return 0
