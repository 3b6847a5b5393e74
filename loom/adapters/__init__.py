"""Loom in the agent frameworks people use: each adapter is a module of its own, and an extra.

An adapter turns the framework's messages into a provider's, gives the list to `Context.sync`, sends
the request that `sync` returns, and hands the reply to `Context.reply`. The framework keeps its own
history, whole. Of Loom only the proxy imports from here; `import loom` imports no framework."""
