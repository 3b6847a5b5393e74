"""`loom hook`: answer an event of Claude Code on stdin, or have it ask at each."""

from __future__ import annotations

from loom.cli.exits import FINE, BadUsage
from loom.cli.hook_settings import Scope, command, settings_file
from loom.cli.hook_settings import install as installed
from loom.cli.hook_settings import uninstall as uninstalled
from loom.cli.show import AsJson, emit, line
from loom.hook.answering import ABOVE, answer

LEAST_ABOVE = 400  # characters: half of them still say what is left out, and where it is


def hook(
    *,
    above: int = ABOVE,
    install: bool = False,
    uninstall: bool = False,
    scope: Scope = "user",
    json: AsJson = False,
) -> int:
    """Give Claude Code short forms of large results, and after a compaction what Loom holds.

    Without an option it is the hook itself: it reads an event as JSON and prints the answer, exit
    0 whatever happens.

    Parameters
    ----------
    above
        Characters of a result over which it goes on a page and is shortened.
    install
        Add the hooks to Claude Code's settings.
    uninstall
        Take them out again.
    scope
        Whose settings: the user's, the project's, or the project's for this user alone.
    """
    if install and uninstall:
        raise BadUsage("--install or --uninstall, not both")
    if above < LEAST_ABOVE:
        raise BadUsage(f"--above {above}: give {LEAST_ABOVE} characters or more")
    if not (install or uninstall):
        return answer(above)
    path = settings_file(scope)
    changed = installed(path, above) if install else uninstalled(path)
    if json:
        emit({"settings": str(path), "changed": changed, "command": command(above)})
    elif changed:
        line(f"hooks were {'added to' if install else 'taken out of'} {path}")
    else:
        line(f"hooks are {'there already' if install else 'not there'}: {path} is as it was")
    if install and not json:
        line(f"  {command(above)}")
    return FINE
