"""A proxy between agents and providers: each conversation's list goes through a context of its own.

    a client's request → which conversation, which purpose → `Context.sync` → the provider
    the provider's stream → the client, at once

The client keeps its whole list, its tools, its keys. What the provider is sent is within the
window. Needs the extra `serve`."""
