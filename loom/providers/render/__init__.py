"""The window as messages, and the words Loom puts into them. Pure: page texts come through
`read`."""
