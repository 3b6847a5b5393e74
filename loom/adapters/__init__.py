"""Loom in agent frameworks. Each adapter is a separate module, and its framework an optional extra.

An adapter converts the framework's messages to a provider's format and gives the list to
`Context.sync`. It sends the request that `sync` returns, and gives the reply to `Context.reply`.
The framework keeps its whole history. `import loom` imports no framework."""
