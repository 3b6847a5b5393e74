"""How providers differ apart from the shape of a request: prices, token counts, demands, errors."""

from loom.providers.table import ANY, PROVIDERS, Demand, Provider, best_row_for, provider_of

__all__ = ["ANY", "PROVIDERS", "Demand", "Provider", "best_row_for", "provider_of"]
