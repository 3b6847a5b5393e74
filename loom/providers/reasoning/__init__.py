"""Reasoning that models put into their text: told from the answer, with nothing lost.

text → pieces → answer, reasoning
"""

from loom.providers.reasoning.separate import separate
from loom.providers.reasoning.separated import Separated, TaggedPiece
from loom.providers.reasoning.separator import Separator

__all__ = ["Separated", "Separator", "TaggedPiece", "separate"]
