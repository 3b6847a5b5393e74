"""Ways to keep a window: those built in, and those of other packages."""
