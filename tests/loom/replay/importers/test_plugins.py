"""Importers that come by entry point, from a distribution that is really installed."""

from pathlib import Path

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


def test_shapes_from_outside(tmp_path: Path) -> None:
    """A file no importer of Loom's knows is read by the one that was installed; a plug-in of a name
    Loom has changes nothing, and none is imported where none is needed; the refusal of a shape
    nobody knows says what is known, and which plug-in could not be asked and why."""
    installed(tmp_path, PACKAGE, ENTRIES)
    (tmp_path / "acme.jsonl").write_text('{"type": "said", "utterance": "hi"}\n' * 2)
    (tmp_path / "openai.jsonl").write_text('{"role": "user", "content": "hi"}\n')
    (tmp_path / "nobodys.jsonl").write_text('{"type": "said"}\n')
    own, outside, why = printed(
        tmp_path,
        """
from pathlib import Path
from loom.replay.importers import BadSession, load
found = []
for name in ("openai", "acme", "nobodys"):
    try:
        said = [event.text for one in load(Path(f"{name}.jsonl")) for event in one.events]
        found.append([said, "acme" in sys.modules])
    except BadSession as error:
        found.append(error.why)
print(json.dumps(found))
""",
    )
    assert own == [["hi"], False] and outside == [["hi", "hi"], True]
    assert isinstance(why, str) and "known are" in why and "acme" in why
    assert "'broken' of loom.importers cannot be used: ModuleNotFoundError" in why
    assert "'openai'" not in why
