"""Reduction measured: what is left of a large tool result that has to be small.

Every tool result of the recorded sessions above a limit is reduced by each strategy as it would be
when it comes in: alone, with the user's last message before it as the objective. A label of a
session says what exact text a later call needed; where such a result held it, the reduced text is
searched for it by the notion of presence of `needs`. A strategy that fails on a result has lost it:
its needles count as not kept, its JSON as not valid.

Made-up texts of growing size tell how the time of a strategy grows: a step to twice the size takes
about twice the time, or four times when it is quadratic.
"""
