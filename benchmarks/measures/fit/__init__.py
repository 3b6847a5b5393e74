"""The fit of the constants that Loom ships, and what it tells."""
