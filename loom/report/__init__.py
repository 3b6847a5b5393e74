"""What Loom did with an agent's window, as plain data and as one page of HTML."""
