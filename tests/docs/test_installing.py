"""Every command that is shown for installing Loom works from a checkout, with no package index."""

from __future__ import annotations

import importlib.metadata
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kit.cases import SIMULATED

ROOT = Path(__file__).parents[2]
SHOWN = [
    ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "examples").glob("*.py")),
]  # fmt: skip
ASKED = re.compile(r"(?:^    |`)((?:pip|uv|pipx)x? [^`\n#]*)", re.MULTILINE)
LATER = "later, once it is on an index: pip install loom-window"


def installs() -> dict[str, str]:
    """Each command once, and the page it stands on."""
    found = [
        (command.strip(), path.relative_to(ROOT).as_posix())
        for path in SHOWN
        for command in ASKED.findall(path.read_text("utf-8"))
        if " install" in command and "uninstall" not in command
    ]
    return dict(found)


def test_nothing_is_fetched_by_a_name_no_index_has() -> None:
    """Each begins in the checkout, and names extras there are; the one to be typed later is shown
    once, and says so."""
    assert len(installs()) > 8
    known = importlib.metadata.metadata("loom-window").get_all("Provides-Extra") or []
    for command, page in installs().items():
        target = next(one for one in shlex.split(command)[2:] if one != "-e")
        extras = re.fullmatch(r"\.\[([\w,-]+)\]", target)
        assert target == "." or (extras and {*extras[1].split(",")} <= {*known}), (page, command)
    told = "\n".join(path.read_text("utf-8") for path in SHOWN)
    assert told.count(LATER) == 1
    assert re.findall(r"(?:(?<!un)install|--from) '?\"?loom-window", told) == [
        "install loom-window"
    ]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this tree, and beside it an empty environment."""
    made = tmp_path_factory.mktemp("installing")
    left_out = shutil.ignore_patterns(".git", ".venv*", "site", "dist", "runs", "__pycache__")
    shutil.copytree(ROOT, made / "loom", ignore=left_out)
    subprocess.run([sys.executable, "-m", "venv", str(made / "env")], check=True)
    return made / "loom"


def typed(checkout: Path, script: str, **more: str) -> str:
    """What a shell prints that types a script in the checkout, where no index can be asked.

    What Loom needs comes from the environment of the tests, and is not installed anew.
    """
    beside = next(path for path in sys.path if path.endswith("site-packages"))
    done = subprocess.run(
        ["bash", "-euc", script],
        cwd=checkout,
        capture_output=True,
        text=True,
        check=False,
        env={
            "PATH": f"{checkout.parent / 'env' / 'bin'}:/usr/bin:/bin",
            "PYTHONPATH": beside,
            "PYTHONIOENCODING": "utf-8",
            "PIP_NO_INDEX": "1",
            "PIP_NO_DEPS": "1",
            "PIP_NO_BUILD_ISOLATION": "0",  # pip's way to say that there is none
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            "HOME": str(checkout.parent),
            **more,
        },
        timeout=240,
    )
    assert done.returncode == 0, (done.stdout, done.stderr)
    return done.stdout


def forms() -> list[str]:
    """A command of each form: which extra it names changes nothing where no index can be asked."""
    found: dict[str, str] = {}
    for command in sorted(installs()):
        form = re.sub(r"['\"]|\[[\w,-]+\]|( [\w-]+)+$", "", command)
        found.setdefault(form, command)
    return sorted(installs() if SIMULATED else found.values())


@pytest.mark.parametrize("command", forms())
def test_a_command_installs(checkout: Path, command: str) -> None:
    """As it is typed in the checkout; `loom`, and the harness, are then the checkout's."""
    for other in shlex.split(command)[2:]:
        name = re.split(r"[\[<>=~]", other)[0]
        if name not in ("-e", "") and not name.startswith("."):
            try:
                importlib.metadata.distribution(name)
            except importlib.metadata.PackageNotFoundError:
                pytest.skip(f"needs {name}")
    assert re.search("Successfully installed .*loom-window", typed(checkout, command))
    asked = "loom bench list" if "./benchmarks" in command else "loom --version"
    assert typed(checkout, f"cd /; {asked}", PYTHONSAFEPATH="1").strip()


def test_readmes_blocks_run(checkout: Path) -> None:
    """Installed, tried, and shown what became of a recorded session, as README has it."""
    readme = (ROOT / "README.md").read_text("utf-8")
    part = readme.partition("## Install")[2].partition("\n## ")[0]
    lines = [line.strip() for line in re.findall(r"^    (.*)", part, re.MULTILINE)]
    commands = [line for line in lines if not line.startswith("make ")]
    assert [line.partition("  ")[0] for line in commands] == [
        "pip install .", "loom demo", "loom report --latest 3",
    ]  # fmt: skip
    sessions = checkout.parent / ".claude" / "projects" / "-work"
    sessions.mkdir(parents=True)
    said = {"type": "user", "message": {"role": "user", "content": "Mend the parser."}}
    told = {"type": "assistant", "message": {"role": "assistant", "content": [
        {"type": "text", "text": "Mended."}]}}  # fmt: skip
    rows = [
        {**row, "sessionId": "s", "uuid": str(at), "parentUuid": str(at - 1) if at else None,
         "timestamp": f"2026-01-01T00:00:0{at}Z", "cwd": "/work", "version": "2"}
        for at, row in enumerate((said, told))
    ]  # fmt: skip
    (sessions / "s.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    typed(checkout, "\n".join(commands))
    assert (checkout / "report.html").stat().st_size > 10_000
