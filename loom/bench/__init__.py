"""The kit of context pressure: scenarios, strategies, judges, reports."""
