"""The window as messages, and Loom's words in them. Pure: page texts come through `read`."""
