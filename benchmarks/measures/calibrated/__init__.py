"""Predicted sizes of requests beside those that providers reported."""
