"""Memory beside the window: what an agent keeps when its context, or its session, is gone."""
