"""Simulated sessions of a coding agent whose truth is known, and questions about them."""
