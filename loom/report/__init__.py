"""What Loom did with an agent's window, as plain data and as one page that anybody can open."""
