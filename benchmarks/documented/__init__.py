"""The figures of the design documents, through the real engine."""
