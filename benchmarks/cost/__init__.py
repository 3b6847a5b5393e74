"""The prompt cache measured: what sessions cost under one policy after another.

`bill` prices one session under one policy, `hindsight` the cheapest there can be, `equal_retention`
compares policies that keep the same share of what is needed, `report` writes down.
"""
