"""What of the history is in use: units of text, when each was touched last, what it is worth."""
