"""A workspace taken elsewhere: as one archive, or as the messages of its session, and back."""
