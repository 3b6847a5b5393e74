"""How providers differ beside a request's shape: prices, token counts, demands, error messages."""

from loom.providers.table import ANY, PROVIDERS, Demand, Provider, best_row_for, provider_of

__all__ = ["ANY", "PROVIDERS", "Demand", "Provider", "best_row_for", "provider_of"]
