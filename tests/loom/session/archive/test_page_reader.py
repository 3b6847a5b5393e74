"""Pages damaged, cut short, emptied, gone or replaced: what needs them goes on and says so."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import loom
from loom.compress.duplicates import micro
from loom.compress.snip import edits_to_shorten
from loom.providers.render.wording import LOST, lost_page_text
from loom_partitions.edits import Shortened
from loom_partitions.records import Sifted
from tests.kit.audited import Audited
from tests.kit.cases import all_cases
from tests.kit.step import step
from tests.providers.serving.pictures import png

PNG = png(64, 48)
PDF = (
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Count 1>>endobj\n"
)
URL = {"type": "image_url", "image_url": {"url": "https://pictures.example/kraken.png"}}


def long(what: str, lines: int = 70) -> str:
    """A text of many lines, which rests on a page."""
    return "".join(f"{what} row {number} of the kraken\n" for number in range(lines))


def lived(ctx: loom.Context) -> None:
    """A page of every kind a request can show, and some it only names."""
    ctx.system(long("rule"))
    ctx.system(long("example"), key="example")
    ctx.memory.remember("notes", long("note"))
    ctx.skills.activate("sailing", long("skill"))
    ctx.working.set_goal(long("goal", 60))
    ctx.working.scratch(long("scratch", 60))
    ctx.working.plan([f"part {number}" for number in range(60)])
    ctx.user(long("wish"))
    ctx.user([{"type": "text", "text": "see"}, PNG, PDF, URL])
    for number in range(5):
        ctx.turn()
        step(
            ctx, long(f"result {number}", 40 + number), tool="Read", args={"path": f"f{number}.py"}
        )
    ctx.turn()
    step(ctx, b"\xff\xfe kraken \x80" * 200, tool="Read", args={"path": "f5.py"})
    ctx.turn()
    step(ctx, [{"type": "text", "text": "shot"}, PNG + b"\0"], tool="Read", args={"path": "f6.py"})
    ctx.turn()
    ctx.reply(loom.Reply((loom.Speech(long("answer", 900)),)))
    ctx.user("on")
    ctx.turn()


def replaced(path: Path, less: int = 0) -> None:
    """Another byte, or fewer, stand under the name; links of the old ones keep theirs."""
    data = path.read_bytes()
    path.unlink()
    path.write_bytes(data[:-less] if less else data[:-1] + b"\x80")


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "another": (replaced, "damaged"),
    "cut short": (lambda path: replaced(path, 9), "damaged"),
    "deleted": (Path.unlink, "gone"),
    "a folder": (lambda path: (path.unlink(), (path / "inner").mkdir(parents=True)), "gone"),
    "led away": (lambda path: (path.unlink(), path.symlink_to(__file__)), "unreadable"),
}
damages = pytest.mark.parametrize("damage", DAMAGES)


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workspace of a session that lived, whole; to be copied."""
    folder = tmp_path_factory.mktemp("sound") / "w"
    with loom.open(folder, window=40_000, durable=False) as ctx:
        lived(ctx)
    return folder


def pages(folder: Path) -> list[str]:
    """The names of the pages and snapshots of a workspace."""
    found = [*(folder / "outputs").iterdir(), *(folder / "snapshots").glob("*")]
    return sorted(path.relative_to(folder).as_posix() for path in found)


class Life(Audited):
    """A context that a host works with."""

    def said(self, format: str = "openai") -> str:
        """A turn, as text."""
        return str(self.turn().request(format))

    def goes_on(self, start: int) -> None:
        """Everything a host does with a session."""
        step(self.ctx, long("more", 50), tool="Read", args={"path": f"f{start}.py"})
        self.turn()
        assert "kraken" in self.ctx.recall("kraken row 7", 4_000)
        own = loom.ToolCall(f"own{start}", "recall", '{"query": "kraken row 7"}')
        self.ctx.reply(loom.Reply((own,)))
        self.ctx.resize(24_000)
        self.turn()
        step(self.ctx, long("more", 51), tool="Read", args={"path": f"f{start + 1}.py"})
        self.ctx.renew()
        self.turn()


@pytest.mark.parametrize("damage", [*DAMAGES, "retired"])
def test_a_session_goes_on_without_any_page(tmp_path: Path, sound: Path, damage: str) -> None:
    """With all of them spoilt or retired at once, too, and when it is opened once more."""
    shutil.copytree(sound, tmp_path / "w")
    spoil, kind = DAMAGES.get(damage, (None, damage))
    if spoil is None:
        with loom.open(tmp_path / "w", durable=False) as ctx:
            engine = ctx._engine
            with engine.lock, engine.atomic:
                engine.commit(Sifted(tuple(pages(tmp_path / "w")[:-1]), "quota"))
    else:
        for page in pages(tmp_path / "w"):
            spoil(tmp_path / "w" / page)
    for start in (100, 200):
        life = Life(tmp_path / "w", goal=long("goal", 60))
        with life.ctx:
            assert start > 100 or LOST[kind] in life.said()
            life.goes_on(start)


def test_a_text_given_again_takes_the_place_of_a_damaged_one(tmp_path: Path, sound: Path) -> None:
    """A script that opens again says what it said before: only what is damaged is new."""
    shutil.copytree(sound, tmp_path / "w")
    [path] = (tmp_path / "w" / "outputs").glob("memory_*.txt")
    replaced(path)
    life = Life(tmp_path / "w", goal=long("goal", 60))
    with life.ctx:
        commits = life.ctx._engine.workspace.commits
        life.ctx.system(long("rule"))
        assert life.ctx._engine.workspace.commits == commits
        life.ctx.memory.remember("notes", long("note"))
        assert life.ctx._engine.workspace.commits == commits + 1
        life.ctx.renew()
        said = life.said("anthropic")
        assert "note row 9 " in said and LOST["damaged"] not in said


@damages
def test_a_page_asked_for_by_name(tmp_path: Path, sound: Path, damage: str) -> None:
    """The host gets the error, the model a failed result that says what is the matter."""
    shutil.copytree(sound, tmp_path / "w")
    spoil, kind = DAMAGES[damage]
    known = pages(tmp_path / "w")
    first = {kind: next(one for one in known if kind in one) for kind in ("read", "image", "mess")}
    for page in first.values():
        spoil(tmp_path / "w" / page)
    life = Life(tmp_path / "w")
    asked = {first["read"]: "read", first["image"]: "image", "user_0001": "mess"}
    with life.ctx:
        for number, (ref, stem) in enumerate(asked.items()):
            page = first[stem]
            with pytest.raises(loom.errors.PagingError, match=page):
                life.ctx.page_in(ref)
            life.turn()
            arguments = json.dumps({"ref": ref})
            life.ctx.reply(loom.Reply((loom.ToolCall(f"p{number}", "page_in", arguments),)))
            restored = life.ctx.history.restore(life.ctx.window.history.next_id - 1)
            assert restored.errors == (f"p{number}",)
            assert restored.results[f"p{number}"] == f"page_in: {lost_page_text(page, kind)}"
        life.turn()


@all_cases("indexed", [True, False])
@all_cases("room", [2_000, 20_000])
def test_recall_tells_what_it_could_not_read(
    tmp_path: Path, sound: Path, indexed: bool, room: int
) -> None:
    """A place that is damaged is passed over and named, whether it is in the index or not."""
    shutil.copytree(sound, tmp_path / "w")
    page = next(page for page in pages(tmp_path / "w") if "read_" in page)
    if indexed:
        with loom.open(tmp_path / "w", durable=False) as ctx:
            assert page in ctx.recall("result 0 row 7", room)
    replaced(tmp_path / "w" / page)
    with loom.open(tmp_path / "w", durable=False) as ctx:
        said = ctx.recall("result 0 row 7", room)
        assert f"not searched, damaged or gone: {page}" in said
        assert "row 7 of the kraken" in said and len(said) <= room
        assert len(ctx.recall("result 0 row 7", 60)) <= 60


def test_nothing_is_made_of_a_stand_in(tmp_path: Path, sound: Path) -> None:
    """No unit of what is in use, and no shorter text, is made of the words for a lost page."""
    shutil.copytree(sound, tmp_path / "w")
    for page in pages(tmp_path / "w"):
        (tmp_path / "w" / page).unlink()
    with loom.open(tmp_path / "w", durable=False) as ctx:
        scene = ctx._engine.cut_decision.cutter.cut_input(ctx.window, 0)
        edits = [
            edit
            for limit in (2_000, 500, 200)
            for entry in scene.entries
            for edit, _ in edits_to_shorten(scene, entry, limit)
        ]
        assert edits and all("gone" not in repr(edit) for edit in edits)
        assert scene.catalog.units
        assert all("gone" not in unit.text for unit in scene.catalog.units.values())
        assert all(isinstance(edit, Shortened) and "row" not in repr(edit) for edit in micro(scene))


def test_guides_and_skills_come_anew(tmp_path: Path) -> None:
    """What has a source outside the workspace is taken from there when its page is damaged."""
    project, skill = tmp_path / "p", tmp_path / "p" / ".agents" / "skills" / "sail"
    skill.mkdir(parents=True)
    (project / "AGENTS.md").write_text(long("guide"))
    (skill / "SKILL.md").write_text(f"---\nname: sail\ndescription: To sail.\n---\n{long('sail')}")
    with loom.open(tmp_path / "w", project=project, window=40_000, durable=False) as ctx:
        ctx.skills.use("sail")
        ctx.user("go")
        ctx.turn()
    for page in pages(tmp_path / "w"):
        replaced(tmp_path / "w" / page)
    life = Life(tmp_path / "w", project=project)
    with life.ctx:
        assert "stands in the context now" in life.ctx.skills.use("sail")
        said = life.said("anthropic")
        assert "guide row 9 " in said and "sail row 9 " in said


READS = [
    ("Read", {"path": "src/a.py"}, "it was read from src/a.py"),
    ("Bash", {"command": "make test"}, "the command that made it was make test"),
    ("WebFetch", {"url": "https://example.org/a"}, "it was fetched from https://example.org/a"),
    ("stock", {"of": "bolts"}, "it came of a call"),
]


@all_cases(("tool", "args", "said"), READS)
def test_a_lost_page_names_its_source(
    tmp_path: Path, tool: str, args: dict[str, str], said: str
) -> None:
    """Where its call names a path, a command or an address; under the mark, which stays to see."""
    with loom.open(tmp_path / "w", window=16_000, durable=False) as ctx:
        ctx.user("Go on.")
        ctx.turn()
        ctx.reply(loom.Reply((loom.ToolCall("c1", tool, json.dumps(args)),)))
        ctx.result("c1", long("row", 90))
        page = next(iter(ctx._engine.workspace.pager.table))
    (tmp_path / "w" / page).unlink()
    with loom.open(tmp_path / "w", durable=False) as ctx:
        ctx.turn()
        text = str(ctx.turn().request("openai"))
        assert f"[{page} {ctx.window.config.mark} is gone from the disk" in text
        assert f"it cannot be shown; {said} (`loom check`" in text
