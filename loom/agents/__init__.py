"""Agents that work for one another: births, budgets, capsules, and where each lives."""
