"""The list of commands says of each what the command says of itself, and imports none of them."""

from __future__ import annotations

import inspect
import subprocess
import sys
from importlib import import_module

from cyclopts import App

from loom.cli.app import COMMANDS, about
from tests.kit.cases import all_cases


@all_cases("place", COMMANDS)
def test_a_command_is_where_it_is_said_to_be(place: str) -> None:
    """The text in the list, read from its source, is the beginning of the command's own."""
    module, _, name = place.partition(":")
    command = getattr(import_module(f"loom.cli.{module}"), name)
    whole = command.help if isinstance(command, App) else inspect.getdoc(command)
    own = str(whole or "").partition("\n\n")[0]
    assert own.replace("\n", " ") == about(place) != ""


def test_the_list_waits_for_no_engine() -> None:
    """Neither the engine nor numpy is imported for it."""
    listed = (
        "import sys\n"
        "from loom.cli import main\n"
        "main(['--help'])\n"
        "print([name for name in ('loom.engine', 'numpy', 'loom.context') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", listed], capture_output=True, text=True, check=True)
    assert "replay" in ran.stdout and ran.stdout.splitlines()[-1] == "[]"
