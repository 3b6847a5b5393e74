"""How providers differ beside the shape of a request: prices, token counts, demands, error
messages."""

from loom.providers.table import ANY, PROVIDERS, Demand, Provider, best_row_for, provider_of

__all__ = ["ANY", "PROVIDERS", "Demand", "Provider", "best_row_for", "provider_of"]
