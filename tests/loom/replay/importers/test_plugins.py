"""Importers that come by entry point, from a distribution that is really installed."""

from pathlib import Path

import pytest

from tests.kit.installed import installed, printed

PACKAGE = """
from loom.inputs import User
from loom.replay.importers import Importer, readable

def accepts(talk):
    return all("utterance" in item.value for item in talk.items)

def events(talk, notes):
    return readable(talk.items, notes, lambda item: [User(item.value["utterance"], item.index)])

IMPORTER = Importer("acme", accepts, events)
"""
ENTRIES = """
[loom.importers]
acme = acme:IMPORTER
openai = acme_gone:IMPORTER
broken = acme_gone:IMPORTER
"""


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A folder with an installed distribution, and recorded files beside it."""
    installed(tmp_path, PACKAGE, ENTRIES)
    (tmp_path / "acme.jsonl").write_text('{"type": "said", "utterance": "hi"}\n' * 2)
    (tmp_path / "openai.jsonl").write_text('{"role": "user", "content": "hi"}\n')
    (tmp_path / "nobodys.jsonl").write_text('{"type": "said"}\n')
    return tmp_path


def loaded(site: Path, name: str) -> tuple[object, bool]:
    """What loading a file in that installation gives, and whether the plug-in was imported."""
    found, imported = printed(
        site,
        f"""
from pathlib import Path
from loom.replay.importers import BadSession, load
try:
    found = [event.text for one in load(Path({name!r})) for event in one.events]
except BadSession as error:
    found = error.why
print(json.dumps([found, "acme" in sys.modules]))
""",
    )
    return found, imported


def test_a_shape_from_outside_is_read(site: Path) -> None:
    """A file no importer of Loom's knows is read by the one that was installed."""
    assert loaded(site, "acme.jsonl") == (["hi", "hi"], True)


def test_a_shape_of_looms_is_looms(site: Path) -> None:
    """A plug-in of a name Loom has changes nothing, and none is imported where none is needed."""
    assert loaded(site, "openai.jsonl") == (["hi"], False)


def test_a_shape_nobody_knows_names_the_broken_ones(site: Path) -> None:
    """The refusal says what is known, and which plug-in could not be asked and why."""
    why, _ = loaded(site, "nobodys.jsonl")
    assert isinstance(why, str) and "known are" in why and "acme" in why
    assert "'broken' of loom.importers cannot be used: ModuleNotFoundError" in why
    assert "'openai'" not in why
