"""Whether windows of recorded work tell the truth."""
