"""Loom in the agent frameworks people use: each adapter is a module of its own, and an extra.

An adapter turns the framework's messages into a provider's, gives the list to `Context.sync`, sends
the request that comes of it, and hands the reply to `Context.reply`. The framework keeps its own
history, whole. Nothing here is imported by the rest of Loom, and no framework by `import loom`.
"""
