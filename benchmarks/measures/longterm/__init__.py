"""Long-term memory measured: saved, found and reopened, engine by engine."""
