"""Reasoning that models put between tags into their text: told from the answer, with nothing lost.

text → answer, reasoning
"""

from loom.providers.reasoning.separate import Separated, separate
from loom.providers.reasoning.separator import Separator

__all__ = ["Separated", "Separator", "separate"]
