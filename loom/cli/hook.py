"""`loom hook`: answer an event of Claude Code on stdin, or install Loom's hooks in its settings.

Loom's hooks are added to Claude Code's settings once, and can be removed without a trace. A hook
counts as Loom's if its command runs `loom.hook`. Everything else in the settings file stays as it
is."""

from __future__ import annotations

import json as jsons
import os
import re
import shlex
import sys
from pathlib import Path
from typing import Any, Literal

from loom.cli.output import AsJson, print_result
from loom.disk import open_private_file
from loom.errors import BadInput
from loom.hook.answering import ABOVE, answer_event

LEAST_ABOVE = 400  # characters: half of them still say what is left out, and where it is
Scope = Literal["user", "project", "local"]
# Events, and which of them: tools whose shapes are known, and beginnings that have a past.
EVENTS = {
    "PostToolUse": "Bash|Read|mcp__.*",
    "SessionStart": "resume|compact",
    "PreCompact": "",
}
TIMEOUT = 60  # seconds, the client's own usual
RUNS = "-P -m loom.hook"


def hook(
    *,
    above: int = ABOVE,
    dropped: bool = False,
    install: bool = False,
    uninstall: bool = False,
    scope: Scope = "user",
    json: AsJson = False,
) -> int:
    """Give Claude Code short forms of large results, and after a compaction what Loom holds.

    Without an option the command is the hook itself: it reads an event as JSON and prints the
    answer; the exit code is 0 whatever happens.

    Args:
        above: Characters of a result over which it goes on a page and is shortened.
        dropped: After a compaction, also tell the model which files the summary does not name.
        install: Add the hooks to Claude Code's settings.
        uninstall: Take the hooks out of the settings again.
        scope: Whose settings: the user's, the project's, or the project's for this user alone.
    """
    if install and uninstall:
        raise BadInput("--install or --uninstall, not both")
    if above < LEAST_ABOVE:
        raise BadInput(f"--above {above}: give {LEAST_ABOVE} characters or more")
    if not (install or uninstall):
        return answer_event(above, dropped=dropped)
    path, run = settings_file(scope), hook_command(above, dropped=dropped)
    changed = install_hooks(path, above, dropped=dropped) if install else uninstall_hooks(path)
    if changed:
        told = f"hooks were {'added to' if install else 'taken out of'} {path}"
    else:
        told = f"hooks are {'there already' if install else 'not there'}: {path} is as it was"
    found = {"settings": str(path), "changed": changed, "command": run}
    return print_result(found, [told, *([f"  {run}"] if install else [])], json=json)


def settings_file(scope: Scope) -> Path:
    """Return the path of Claude Code's settings file for a scope: user (all projects of the user),
    project (shared by its users), local (this user in this project)."""
    if scope == "user":
        own = os.environ.get("CLAUDE_CONFIG_DIR") or Path.home() / ".claude"
        return Path(own) / "settings.json"
    return Path(".claude", "settings.json" if scope == "project" else "settings.local.json")


def hook_command(above: int = ABOVE, *, dropped: bool = False) -> str:
    """Return the command line of the hook, with its options `above` and `dropped`. The flag `-P`
    keeps modules in the working folder from being imported."""
    more = ("" if above == ABOVE else f" --above {above}") + " --dropped" * dropped
    return f"{shlex.quote(Path(sys.executable).as_posix())} {RUNS}{more}"


def install_hooks(path: Path, above: int = ABOVE, *, dropped: bool = False) -> bool:
    """Write Loom's hooks to a settings file, replacing earlier Loom hooks. Return False if the file
    already has exactly these hooks. Raises BadInput."""
    before, indent = _read_settings(path)
    after = _settings_without_hooks(before)
    hooks = after.setdefault("hooks", {})
    for event, matcher in EVENTS.items():
        run = {
            "type": "command",
            "command": hook_command(above, dropped=dropped),
            "timeout": TIMEOUT,
        }
        group = {"matcher": matcher} if matcher else {}
        hooks.setdefault(event, []).append({**group, "hooks": [run]})
    return _write_if_changed(path, before, after, indent)


def uninstall_hooks(path: Path) -> bool:
    """Remove Loom's hooks from a settings file. Return False if the file has none. Raises
    BadInput."""
    before, indent = _read_settings(path)
    return _write_if_changed(path, before, _settings_without_hooks(before), indent)


def _settings_without_hooks(settings: dict[str, Any]) -> dict[str, Any]:
    """Return a copy of the settings without Loom's hooks, and without groups and events that become
    empty."""
    after: dict[str, Any] = jsons.loads(jsons.dumps(settings))
    hooks = after.get("hooks", {})
    held = [event for event, groups in hooks.items() if any(map(_has_loom_hook, groups))]
    for event in held:
        for group in filter(_has_loom_hook, hooks[event]):
            group["hooks"] = [run for run in group["hooks"] if not _is_loom_hook(run)] or None
        hooks[event] = [group for group in hooks[event] if group["hooks"] is not None]
        if not hooks[event]:
            del hooks[event]
    if held and not hooks:
        del after["hooks"]
    return after


def _has_loom_hook(group: dict[str, Any]) -> bool:
    return any(map(_is_loom_hook, group["hooks"]))


def _is_loom_hook(run: object) -> bool:
    text = run.get("command") if isinstance(run, dict) else None
    own = rf" {RUNS}( --above \d+)?( --dropped)?$"
    return isinstance(text, str) and re.search(own, text) is not None


def _read_settings(path: Path) -> tuple[dict[str, Any], str]:
    """Return a pair (settings as a dict, indentation) of a file. The settings are {} if there is no
    file. Raises BadInput if the file does not hold Claude Code's settings."""
    try:
        text = path.read_text(encoding="utf-8")
        made = jsons.loads(text) if text.strip() else {}
    except FileNotFoundError:
        return {}, "  "
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not UTF-8: nothing was changed") from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{path} is no JSON ({error}): nothing was changed") from error
    if not isinstance(made, dict) or not _has_hooks_shape(made.get("hooks", {})):
        raise BadInput(f"{path} has not the shape of Claude Code's settings: nothing was changed")
    indent = re.match(r"\s*\{\s*?\n([ \t]+)", text)
    return made, indent[1] if indent else "  "


def _has_hooks_shape(hooks: object) -> bool:
    return isinstance(hooks, dict) and all(
        isinstance(groups, list)
        and all(isinstance(one, dict) and isinstance(one.get("hooks"), list) for one in groups)
        for groups in hooks.values()
    )


def _write_if_changed(
    path: Path, before: dict[str, Any], after: dict[str, Any], indent: str
) -> bool:
    """Write the settings `after` to a file in one step, unless they equal `before`. Return True if
    the file was written."""
    if after == before:
        return False
    path = Path(os.path.realpath(path))
    path.parent.mkdir(parents=True, exist_ok=True)
    new = path.with_name(f"{path.name}.loom")
    text = jsons.dumps(after, indent=indent, ensure_ascii=False) + "\n"
    with os.fdopen(open_private_file(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as file:
        file.write(text.encode())
    if path.exists():
        new.chmod(path.stat().st_mode & 0o777)
    new.replace(path)
    return True
