"""`loom bench`: its commands, each imported when it is asked for."""

from __future__ import annotations

from cyclopts import App, Parameter

# Where each command is, and how its own text begins.
COMMANDS = {
    "list": ("tables:listed", "List scenarios, strategies, judges and columns."),
    "run": ("running:ran", "Run strategies through scenarios and tell how they compare."),
    "compare": ("comparing:compare", "Tell what is better and what is worse in the second run."),
    "replay": ("replaying:replay", "Measure strategies on recorded sessions."),
}

bench = App(
    name="bench",
    help="Hold ways to keep a window against scenarios, beside one another; no model is called.\n\n"
    "A scenario writes a session and what it owes. A strategy makes each request of all messages so"
    " far, and judges look whether what is owed stands in it, or can be asked for.",
    help_format="plaintext",
    default_parameter=Parameter(negative=()),
)
for name, (place, about) in COMMANDS.items():
    bench.command(f"loom_bench.commands.{place}", name=name, help=about)
