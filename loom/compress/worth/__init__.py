"""The working set of the history: the units of its entries, when each was used last, its worth."""
