"""Loom beside what others call theirs: an app's own `paging.py`, another distribution's `loom/`."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import zipfile
from hashlib import sha256
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
APP = """
import paging
import partitions
from partitions import disks
import loom

with loom.open("w", goal="Page it.", window=8_192) as ctx:
    ctx.user(paging.page(2))
    print(disks.FIRST, paging.page(1), "Page it." in repr(ctx.turn().request("openai")))
print(loom.__file__)
"""


@pytest.fixture
def app(tmp_path: Path) -> Path:
    """An app with modules of its own under the names of Loom's folders."""
    folder = tmp_path / "app"
    (folder / "partitions").mkdir(parents=True)
    (folder / "paging.py").write_text('def page(number):\n    return f"page {number}"\n')
    (folder / "partitions" / "__init__.py").write_text("")
    (folder / "partitions" / "disks.py").write_text('FIRST = "sda1"\n')
    (folder / "main.py").write_text(APP)
    return folder


def ran(folder: Path, *paths: Path) -> list[str]:
    """What the app prints, with `paths` before what is installed."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, paths))}
    run = subprocess.run(
        [sys.executable, "main.py"],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return run.stdout.splitlines()


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this tree, laid out as an installer does it."""
    return laid_out(ROOT, tmp_path_factory.mktemp("wheel"))


def laid_out(project: Path, made: Path) -> Path:
    """The wheel of a project, built and unpacked in `made`."""
    build = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(made)]
    run = subprocess.run(build, cwd=project, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    [wheel] = made.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(made / "site")
    return made / "site"


def test_an_app_with_a_paging_of_its_own_and_the_wheel(app: Path, unpacked: Path) -> None:
    """The same from a wheel, which holds three packages and no name an app may have."""
    names = {path.name for path in unpacked.iterdir() if path.suffix != ".dist-info"}
    assert names == {"loom", "loom_partitions", "loom_paging"}
    told, where = ran(app, unpacked)
    assert told == "sda1 page 1 True"
    assert Path(where).is_relative_to(unpacked)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of the harness, laid out as an installer does it."""
    return laid_out(ROOT / "benchmarks", tmp_path_factory.mktemp("bench"))


@pytest.mark.parametrize(
    ("wheel", "inside", "some"),
    [
        ("unpacked", "loom/report/assets", {"main.html", "page.css", "start.js"}),
        ("bench", "loom_bench/words", {"public.json", "held_out.json"}),
    ],
)
def test_what_is_no_code_is_in_the_wheel(
    wheel: str, inside: str, some: set[str], request: pytest.FixtureRequest
) -> None:
    """Every style, script and frame of a report's page, and every word of a scenario."""
    source = ROOT if wheel == "unpacked" else ROOT / "benchmarks"
    there = {path.name: path.read_bytes() for path in (source / inside).glob("*.[!p]*")}
    assert some <= there.keys()
    site = request.getfixturevalue(wheel)
    assert {path.name: path.read_bytes() for path in (site / inside).glob("*.[!p]*")} == there


def test_the_harness_is_a_distribution_of_its_own(unpacked: Path, bench: Path) -> None:
    """An embedder installs none of it; its wheel has its package alone, and doors lead to it."""
    names = {path.name for path in bench.iterdir() if path.suffix != ".dist-info"}
    assert names == {"loom_bench"}
    assert not [path for path in unpacked.rglob("*") if "bench" in path.name]
    [doors] = bench.glob("*.dist-info/entry_points.txt")
    assert "[loom.commands]" in doors.read_text() and "[inspect_ai]" in doors.read_text()
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, (bench, unpacked)))}
    command = [sys.executable, "-m", "loom", "bench", "list"]
    run = subprocess.run(
        command, cwd=bench.parent, env=environment, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0 and "handover" in run.stdout, run.stderr


def test_a_loom_that_lies_in_one_folder_with_another_says_so(app: Path, unpacked: Path) -> None:
    """Files of another distribution in `loom/`: told at the import, with what to do."""
    both = app.parent / "both"
    shutil.copytree(unpacked, both)
    (both / "loom" / "runtime").mkdir()
    (both / "loom" / "runtime" / "__init__.py").write_text("")
    run = subprocess.run(
        [sys.executable, "-c", "import loom"],
        cwd=both,
        env={**os.environ, "PYTHONPATH": str(both)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 1
    assert "runtime" in run.stderr and "an environment of its own" in run.stderr


def test_a_build_is_the_same_bytes_again(tmp_path: Path) -> None:
    """Of a copy made later, too: wheel and source archive have no time, place or owner in them."""
    sums = []
    for name in ("first", "second"):
        left_out = shutil.ignore_patterns(".git", ".venv*", "site", "dist", "runs", "__pycache__")
        copy = shutil.copytree(ROOT, tmp_path / name, ignore=left_out, copy_function=shutil.copy)
        done = subprocess.run(
            [sys.executable, "-m", "hatchling", "build", "-d", str(tmp_path / f"{name}.dist")],
            cwd=copy,
            env={**os.environ, "SOURCE_DATE_EPOCH": "1700000000"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        made = sorted((tmp_path / f"{name}.dist").iterdir())
        sums.append([(path.name, sha256(path.read_bytes()).hexdigest()) for path in made])
    assert len(sums[0]) == 2 and sums[0] == sums[1]


def test_the_wheel_says_it_is_typed(unpacked: Path) -> None:
    """Each of its three packages has the file that type checkers look for."""
    assert {path.parent.name for path in unpacked.glob("*/py.typed")} == {
        "loom",
        "loom_partitions",
        "loom_paging",
    }


def described(site: Path) -> str:
    """The description a package index shows: what follows the head of the metadata."""
    [metadata] = site.glob("*.dist-info/METADATA")
    head, _, text = metadata.read_text("utf-8").partition("\n\n")
    assert "Description-Content-Type: text/markdown" in head
    return text


def test_no_link_of_the_description_leads_nowhere(unpacked: Path) -> None:
    """Where it is shown lie none of the repository's files: no link to one is left, and all words
    are there."""
    text = described(unpacked)
    targets = re.findall(r"\]\(([^()\s]+)\)", text)
    assert all("://" in one or one.startswith("#") for one in targets), targets
    assert "[The eight" not in text and "The eight words" in text and "explain these" in text
    assert "The pages named here are in the folder `docs/`" in text
    assert " at most with it" in text


def test_links_of_the_description_lead_to_an_address(tmp_path: Path) -> None:
    """With LOOM_PAGES every link and the picture lead there, each to its file."""
    done = subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        env={**os.environ, "LOOM_PAGES": "https://e.example/loom"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    [wheel] = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as packed:
        packed.extractall(tmp_path / "site")
    text = described(tmp_path / "site")
    targets = re.findall(r"\]\(([^()\s]+)\)", text)
    base = "https://e.example/loom/"
    named = [one.removeprefix(base).partition("#")[0] for one in targets if base in one]
    assert len(named) > 30 and "docs/pressure.svg" in named
    assert all((ROOT / name).is_file() for name in named)
    assert all("://" in one or one.startswith("#") for one in targets)
