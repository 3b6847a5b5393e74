"""`python -m benchmarks.fit --sessions DIR`."""

import sys

from cyclopts import App

from benchmarks.fit.command import fit

if __name__ == "__main__":
    app = App(name="fit", result_action="return_value")
    app.default(fit)
    sys.exit(app())
