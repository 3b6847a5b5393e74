"""JSON and lines of JSON, fewer of their members and items, still valid."""
