"""Links between the pages lead somewhere, and every page is reached."""

from __future__ import annotations

import re
from pathlib import Path
from pkgutil import resolve_name

import pytest
import yaml

import loom

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
OUTSIDE = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]
PAGES = [*OUTSIDE, *sorted(DOCS.rglob("*.md"))]
LINK = re.compile(r"\]\(([^()\s]+)\)")
FENCED = re.compile(r"^```.*?^```|`[^`\n]+`", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ (.+)$", re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """What the headings of a page are called, on GitHub and on the site alike."""
    text = re.sub(r"^```.*?^```", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    plain = (re.sub(r"[^\w\- ]", "", one.lower()).strip() for one in HEADING.findall(text))
    return {one.replace(" ", "-") for one in plain}


def links(page: Path) -> list[str]:
    """The links of a page, code left out."""
    return LINK.findall(FENCED.sub("", page.read_text("utf-8")))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_leads_somewhere(page: Path) -> None:
    """The file is there, and so is the heading; pages of the site lead to none outside of it."""
    for link in links(page):
        if "://" in link:
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        assert target.is_file(), f"{page.name}: {link}: there is no such file"
        assert page in OUTSIDE or target.is_relative_to(DOCS), f"{page.name}: {link}: outside"
        assert not anchor or anchor in anchors(target), f"{page.name}: {link}: no such heading"


def test_every_page_is_in_the_site() -> None:
    """The navigation of the site has every page that is listed, and lists none that is missing."""

    def pages(part: object) -> list[str]:
        if isinstance(part, str):
            return [part]
        parts = part.values() if isinstance(part, dict) else part
        return [page for each in parts for page in pages(each)]

    listed = pages(yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"])
    assert len(listed) == len(set(listed))
    assert set(listed) == {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}


def test_a_reader_of_the_readme_finds_every_guide() -> None:
    """From README.md every page of `docs/` is reached by following links."""
    reached: set[Path] = set()
    left = [ROOT / "README.md"]
    while left:
        page = left.pop()
        if page in reached or page.suffix != ".md":
            continue
        reached.add(page)
        found = [link.partition("#")[0] for link in links(page) if "://" not in link]
        left += [(page.parent / name).resolve() for name in found if name]
    assert set(DOCS.rglob("*.md")) - reached == set()


def test_every_public_name_is_in_the_reference() -> None:
    """Each name of `loom.__all__` stands once in the pages of the reference; all of these are."""
    text = "".join(path.read_text("utf-8") for path in (DOCS / "reference").glob("*.md"))
    named = re.findall(r"^::: (loom[.\w]+)$", text, re.MULTILINE)
    found = [resolve_name(name) for name in named]
    told = [name.rpartition(".")[2] for name in named]
    assert len({*told}) == len(told) and {*loom.__all__} <= {*told}
    assert [name for name in loom.__all__ if getattr(loom, name) not in found] == []


def test_the_site_loads_nothing_from_elsewhere() -> None:
    """Its search works where pages are opened as files, with a script of ours: without it the
    plugin would load one from the network."""
    site = yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))
    assert "offline" in site["plugins"] and site["theme"]["font"] is False
    [script] = site["extra"]["polyfills"]
    assert (DOCS / script).is_file() and "iframe-worker" in script
