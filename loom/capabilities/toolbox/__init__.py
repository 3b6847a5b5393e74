"""Tools in three levels: declared to the model, found when it looks, and run in a project folder.

    descriptor   what is known of a tool
    finding      tools found by words, and told
    registry     the toolbox: which tools there are, and how each is run
    shell        level 2: programs by their exact words, without a shell
    scripts      level 3: the project's own Python scripts
    usual        the tools of both that any project can have

Only the toolbox itself, a capability, knows that there are contexts.
"""

from typing import TYPE_CHECKING

from loom.lazy import lazy_names

if TYPE_CHECKING:
    from loom.capabilities.toolbox.shell import READS
    from loom.capabilities.toolbox.usual import builtin
else:
    __getattr__ = lazy_names(
        globals(),
        {"READS": "loom.capabilities.toolbox.shell", "builtin": "loom.capabilities.toolbox.usual"},
    )

__all__ = ["READS", "builtin"]
