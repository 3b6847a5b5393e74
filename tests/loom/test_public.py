"""What a host can import and type: few names, one root of errors, types that catch a slip."""

import ast
import importlib
import inspect
import json
import os
import pkgutil
import shutil
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import loom
import loom_bench

ROOT = Path(loom.__file__).parents[1]
# Parts that need what is not installed with Loom alone.
OPTIONAL = (
    "loom.adapters.", "loom.mcp.", "loom.fleet.on_ray", "loom_bench.strategies.peers.",
    "loom_bench.inspecting.tasks",
)  # fmt: skip


def modules() -> Iterator[str]:
    """Every module of the four packages but those that need what is missing."""
    for name in ("loom", "loom_partitions", "loom_paging", "loom_bench"):
        package = importlib.import_module(name)
        for found in pkgutil.walk_packages(package.__path__, f"{name}."):
            try:
                importlib.import_module(found.name)
            except ModuleNotFoundError:
                if not found.name.startswith(OPTIONAL):
                    raise
                continue
            yield found.name


def test_errors_are_few_with_one_root_and_one_place() -> None:
    """At most 25 exception classes in the product, each a LoomError or a warning, all of them in
    `loom.errors`; the harness has its own."""
    found = {
        held
        for name in modules()
        for held in vars(importlib.import_module(name)).values()
        if inspect.isclass(held) and issubclass(held, BaseException) and held.__module__ == name
    }
    product = {one for one in found if not one.__module__.startswith("loom_bench")}
    assert len(product) <= 25
    assert [one for one in product if getattr(loom.errors, one.__name__, None) is not one] == []
    others = found - product
    assert [one for one in others if getattr(loom_bench, one.__name__, None) is not one] == []
    assert [
        one for one in (*product, *others) if not issubclass(one, loom.LoomError | Warning)
    ] == []


def test_public_names_are_few() -> None:
    """At most 60 at the top; the errors that stand there are those of `loom.errors`."""
    top = {*loom.__all__, "aio", "errors", "fleet"}
    assert len(top) <= 60 and top <= {*dir(loom)}


def test_every_listed_name_is_there() -> None:
    """What a module says it offers can be imported from it."""
    listed = [path for path in ROOT.glob("loom/**/*.py") if "__all__ =" in path.read_text()]
    assert listed
    for path in listed:
        name = ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        if "adapters" not in name:  # a framework may be missing
            module = importlib.import_module(name)
            assert [one for one in module.__all__ if not hasattr(module, one)] == [], name


def test_no_class_name_is_used_twice() -> None:
    """A name says one thing, in the whole source."""
    places = defaultdict(list)
    for folder in ("loom", "partitions", "paging", "benchmarks"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.ClassDef):
                    places[node.name].append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert {name: found for name, found in places.items() if len(found) > 1} == {}


def test_no_file_is_long() -> None:
    """None over 300 lines, the median at most 140: 60,000 lines in 450 files are 133 each."""
    folders = ("loom", "partitions", "paging", "benchmarks/loom_bench")
    paths = [path for folder in folders for path in (ROOT / folder).rglob("*.py")]
    sizes = sorted((len(path.read_text().splitlines()), path.name) for path in paths)
    assert sizes[-1][0] <= 300, sizes[-5:]
    assert sizes[len(sizes) // 2][0] <= 140


CLIENT = """
import asyncio
from pathlib import Path

import loom


class Clock(loom.Capability):
    name = "clock"

    @property
    def tools(self) -> tuple[loom.OwnTool, ...]:
        return (loom.own_tool("now", "Tell the time.", {}, lambda edits, given, limit: "noon"),)


def work(folder: Path) -> str:
    policy = loom.Policy(compact_above=2_000)
    memory = loom.Memory(folder / "m")
    has: list[loom.Capability] = [
        memory, loom.Skills(folder), loom.Toolbox(), loom.Heartbeat(60.0), Clock(),
    ]
    with loom.open(folder / "w", goal="Go.", policy=policy, capabilities=has) as ctx:
        ctx.system("Be careful.")
        ctx.user("Go on.")
        turn: loom.Turn = ctx.turn()
        ctx.reply(loom.Reply((loom.Speech(str(turn.number)),)))
        for call in ctx.calls:
            ctx.result(call, {"ok": True})
        ctx.working.plan(["one", ("two", "doing")])
        ctx.memory.save("It is so.", key="so").text.upper()
        ctx.skills.activate("how", "to")
        ctx.tools.declare({"name": "Look", "description": "Look.", "parameters": {}})
        ctx.events.signal("e", "it broke", urgency="high")
        ctx.history.payload("outputs/a_0001.txt").decode()
        with ctx.agents.spawn("Read.", name="kid", window=8_000) as child:
            child.agents.deliver("Read.")
        done: tuple[loom.AgentResult, ...] = ctx.agents.wait("kid")
        return ctx.text + done[0].summary + str(ctx.pressure.rho) + memory.text


async def awaited(folder: Path) -> bool:
    async with loom.aio.open(folder, goal="Go.") as ctx:
        await ctx.user("Go on.")
        turn = await ctx.turn()
        await ctx.working.note(str(turn.number))
        child = await ctx.agents.spawn("Read.")
        await child.close()
        return ctx.done and (await ctx.memory.query("x")) == []
"""
SLIPS = {
    "a mistyped method": ('ctx.user("Go on.")', 'ctx.usr("Go on.")'),
    "a mistyped word": ('urgency="high"', 'urgency="hihg"'),
    "a mistyped parameter": ('goal="Go.", policy', 'gaol="Go.", policy'),
    "a mistyped parameter of a child": ("window=8_000", "windwo=8_000"),
    "a mistyped method that is awaited": ("await ctx.working.note", "await ctx.working.nota"),
    "an argument that is no text": ('ctx.system("Be careful.")', "ctx.system(7)"),
}
CHECKERS = {
    "mypy": [sys.executable, "-m", "mypy", "--strict", "--python-version", "3.11"],
    "pyright": ["pyright", "--project", "pyrightconfig.json"],
}


@pytest.mark.timeout(600)
@pytest.mark.parametrize("checker", CHECKERS)
def test_types_pass_a_client_and_catch_its_slips(tmp_path: Path, checker: str) -> None:
    """A client that uses everything passes; each slip is told, in its line."""
    command = CHECKERS[checker]
    if shutil.which(checker, path=f"{Path(sys.executable).parent}:{os.environ['PATH']}") is None:
        pytest.skip(f"{checker} is not installed here")
    (tmp_path / "client.py").write_text(CLIENT)
    for number, (right, wrong) in enumerate(SLIPS.values()):
        assert right in CLIENT
        (tmp_path / f"slip_{number}.py").write_text(CLIENT.replace(right, wrong, 1))
    paths = [str(path) for path in sorted(tmp_path.glob("*.py"))]
    roots = [str(ROOT), str(ROOT / "partitions"), str(ROOT / "paging")]
    config = {"extraPaths": roots, "pythonVersion": "3.11"}
    config |= {"venvPath": str(Path(sys.prefix).parent), "venv": Path(sys.prefix).name}
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(config))
    env = {**os.environ, "MYPYPATH": ":".join(roots)}
    env["PATH"] = f"{Path(sys.executable).parent}:{env['PATH']}"
    given = paths if checker == "mypy" else []
    done = subprocess.run(
        [*command, *given], capture_output=True, text=True, cwd=tmp_path, env=env, check=False
    )
    told = done.stdout
    assert "client.py" not in told, told
    for number, name in enumerate(SLIPS):
        assert f"slip_{number}.py" in told, (name, told, done.stderr)


def test_names_are_where_a_checker_is_told() -> None:
    """The table names are imported by says what the imports say that only a checker reads."""
    [checked] = [
        node
        for node in ast.parse((ROOT / "loom" / "__init__.py").read_text()).body
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name)
    ]
    told = {
        alias.name: node.module
        for node in checked.body
        if isinstance(node, ast.ImportFrom) and node.module != "loom"
        for alias in node.names
    }
    assert told == loom._MODULES
    assert {*loom.__all__} <= {*dir(loom)} and all(hasattr(loom, name) for name in loom.__all__)


def test_importing_loom_is_cheap() -> None:
    """No pattern is compiled, and no engine is imported, before a name is asked for."""
    counted = (
        "import re, sys\n"
        "made, compiled = [], re._compile\n"
        "re._compile = lambda text, flags: made.append(text) or compiled(text, flags)\n"
        "import loom\n"
        "light = len([name for name in sys.modules if name.startswith('loom')])\n"
        "before = len(made)\n"
        "loom.open\n"
        "print(light, before, len(made) - before, 'numpy' in sys.modules)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", counted], capture_output=True, text=True, check=True
    )
    light, before, later, _ = ran.stdout.split()
    assert int(light) <= 8 and int(before) <= 5, ran.stdout
    assert int(later) <= 400, ran.stdout  # those of libraries; Loom's own are 500 more


def test_opening_imports_what_it_runs(tmp_path: Path) -> None:
    """A first opening reads at most 200 modules of Loom; what cuts, reduces, tells one format from
    another or speaks to other agents is read when it is used."""
    counted = (
        "import sys\n"
        "import loom\n"
        f"ctx = loom.open({str(tmp_path / 'w')!r}, goal='x', window=32_000)\n"
        "print(*(name for name in sys.modules if name.startswith('loom')))\n"
    )
    ran = subprocess.run(
        [sys.executable, "-c", counted], capture_output=True, text=True, check=True
    )
    read = ran.stdout.split()
    assert len(read) <= 200, len(read)
    later = (
        "loom.session.cut", "loom.reduce.rules", "loom.providers.formats.openai",
        "loom.capabilities.agents.bus", "loom.capabilities.toolbox.shell",
        "loom.capabilities.events.poller", "loom.capabilities.memory.longterm.sqlite",
        "loom.context.inputs", "loom.search.index",
    )  # fmt: skip
    assert not {*later} & {*read}
