"""Sessions made from a seed: what agents say, call and get back."""
