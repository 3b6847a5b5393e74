"""Secrets as they stand in the wild, made from a seed, and texts that only look like them."""
