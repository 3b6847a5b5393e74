"""Retention: whether a window still holds what the next call of a recorded session needs."""
