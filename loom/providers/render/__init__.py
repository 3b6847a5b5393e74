"""The window as messages, and the words that Loom itself puts into them. Nothing here does I/O: the
texts of pages come from a function `read`."""
