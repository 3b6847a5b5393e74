"""The scenarios as tasks of inspect: `inspect eval loom/context_pressure --model …`.

A model is sent the request that a strategy makes at one moment of a session, and a question about
what the session owes then. All but the model is as `loom bench run` has it.
"""
