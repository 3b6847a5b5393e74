"""Differences of providers beside the shape of a request: prices, counts, demands, refusals."""

from loom.providers.table import ANY, PROVIDERS, Demand, Provider, best_row_for, provider_of

__all__ = ["ANY", "PROVIDERS", "Demand", "Provider", "best_row_for", "provider_of"]
