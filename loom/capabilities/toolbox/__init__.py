"""Tools on three levels: declared to the model, found when the model looks, and run in a project
folder.

    descriptor    what is known of a tool
    registry      the toolbox: which tools there are, how they are found by words and run
    shell         level 2: programs by their exact words, without a shell
    scripts       level 3: the project's own Python scripts; `builtin` has the tools of both levels
    limited_runs  processes that run to their end under limits

Only the toolbox itself, a capability, knows that there are contexts."""

from typing import TYPE_CHECKING

from loom.lazy import lazy_names

if TYPE_CHECKING:
    from loom.capabilities.toolbox.scripts import builtin
    from loom.capabilities.toolbox.shell import READS
else:
    __getattr__ = lazy_names(
        globals(),
        {
            "READS": "loom.capabilities.toolbox.shell",
            "builtin": "loom.capabilities.toolbox.scripts",
        },
    )

__all__ = ["READS", "builtin"]
