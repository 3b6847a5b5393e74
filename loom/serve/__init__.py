"""A proxy between agents and providers: it keeps each conversation's messages within a window.

    a client's request → which conversation, which purpose → `Context.sync` → the provider
    the provider's stream → the client, at once

The client keeps its whole list, its tools and its keys; the provider is sent what fits the window.
Needs the extra `serve`."""
