"""The window as messages, and the words Loom puts into them. Pure: bodies come by `read`."""
