"""The prompt cache: bills, the cheapest schedule in hindsight, prices at equal retention."""
