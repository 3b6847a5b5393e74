"""The working set of the history: units of text, when each was used last, its worth."""
