"""Tools in three levels: declared to the model, found when it looks, and run in a project folder.

    descriptor   what is known of a tool
    finding      tools found by words, and told
    registry     the toolbox: which tools there are, and how each is run
    shell        level 2: programs by their exact words, without a shell
    scripts      level 3: the project's own Python scripts

Only the toolbox itself, a capability, knows that there are contexts.
"""

from loom.capabilities.toolbox.builtin import builtin
from loom.capabilities.toolbox.descriptor import ToolDescriptor, schema
from loom.capabilities.toolbox.processes import Ran, RunLimits
from loom.capabilities.toolbox.registry import Approve, Tool, Toolbox
from loom.capabilities.toolbox.scripts import Scripts
from loom.capabilities.toolbox.shell import READS, Shell

__all__ = [
    "READS",
    "Approve",
    "Ran",
    "RunLimits",
    "Scripts",
    "Shell",
    "Tool",
    "ToolDescriptor",
    "Toolbox",
    "builtin",
    "schema",
]
