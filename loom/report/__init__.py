"""Reports what Loom did with an agent's window, as plain data and as one HTML page."""
