"""Truth: judges that hold what a request says after a cut against what happened in the session.

A judge knows the transcript so far and the request as messages. It knows no package's markers or
words, so the same judges are run on every strategy.
"""
