"""Our strict judgement beside that of the reference library, which is installed for the tests."""

import shutil
from pathlib import Path

import pytest
import skills_ref
from hypothesis import given
from hypothesis import strategies as st

from loom.capabilities.skills import problems
from tests.kit.cases import all_cases

NAME = "my-skill"
GOOD = "name: my-skill\ndescription: It helps.\n"


def headed(header: str) -> bytes:
    """A SKILL.md with a header."""
    return f"---\n{header}---\n\nBody\n".encode()


def refused(folder: Path) -> bool:
    """Whether the reference library finds fault; what it breaks off at is a fault too."""
    try:
        return bool(skills_ref.validate(folder))
    except (UnicodeDecodeError, OSError, AttributeError, AssertionError):
        return True  # the last two are its parser's own, for control characters and odd keys


def judged(folder: Path, data: bytes) -> tuple[str, ...]:
    """The problems of a SKILL.md, after both judges gave the same verdict."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_bytes(data)
    found = problems(folder)
    assert bool(found) == refused(folder), (data, found)
    assert all(one and one.isprintable() for one in found)
    return found


def test_a_good_skill_has_no_problems(tmp_path: Path) -> None:
    """Neither the least there may be nor all there can be."""
    assert judged(tmp_path / NAME, headed(GOOD)) == ()
    more = "license: MIT\ncompatibility: Any\nmetadata:\n  a: b\nallowed-tools: Read\n"
    assert judged(tmp_path / NAME, headed(GOOD + more)) == ()


FINE = {
    "comment": f"# note\n{GOOD}",
    "quoted": "name: 'my-skill'\ndescription: \"a: b\"\n",
    "folded": "name: my-skill\ndescription: >\n  one\n  two\n",
    "literal": "name: my-skill\ndescription: |-\n  one: x\n  two\n",
    "continued": "name: my-skill\ndescription: one\n  two\n",
    "escapes": 'name: "my-\\u0073kill"\ndescription: x\n',
    "spaces around the name": 'name: "  my-skill "\ndescription: x\n',
    "wide letters": "name: ｍｙ-skill\ndescription: x\n",
    "no value of license": f"{GOOD}license:\n",
    "licences in a list": f"{GOOD}license:\n  - MIT\n  - BSD\n",
    "tools in a list": f"{GOOD}allowed-tools:\n  - Read\n",
    "tools in a flat list": f"{GOOD}allowed-tools:\n- Read\n- Bash(git:*)\n",
    "metadata that is a text": f"{GOOD}metadata: x\n",
    "metadata in metadata": f"{GOOD}metadata:\n  a:\n    b: c\n",
    "metadata that says yes": f"{GOOD}metadata:\n  a: yes\n  b: 1.10\n",
    "empty compatibility": f"{GOOD}compatibility: ''\n",
    "long compatibility": f"{GOOD}compatibility: {'c' * 500}\n",
    "long description": f"name: my-skill\ndescription: {'d' * 1_024}\n",
    "description of numbers": "name: my-skill\ndescription: 42\n",
    "description that says null": "name: my-skill\ndescription: null\n",
    "a strange line end inside": "name: my-skill\ndescription: a \u2028 b\n",
    "signs of every plane": "name: my-skill\ndescription: 😀 é 中\n",
    "hyphens in the description": "name: my-skill\ndescription: a --- b: c\n",
    "an unknown field behind hyphens": f"{GOOD}# ---\nodd: x\n",
    "empty lines": "\n\nname: my-skill\n\ndescription: x\n\n",
    "a document's end": f"{GOOD}...\n",
    "deep list": f"{GOOD}metadata:\n  - - - a\n",
    "brackets inside a text": "name: my-skill\ndescription: a [b] {c} & d * e ! f\n",
}
ODD = {
    "empty": "",
    "only a comment": "# note\n",
    "no name": "description: x\n",
    "no description": "name: my-skill\n",
    "empty name": "name:\ndescription: x\n",
    "blank name": "name: '  '\ndescription: x\n",
    "empty description": "name: my-skill\ndescription:\n",
    "blank description": "name: my-skill\ndescription: '  '\n",
    "other name": "name: other\ndescription: x\n",
    "capitals": "name: My-Skill\ndescription: x\n",
    "underscore": "name: my_skill\ndescription: x\n",
    "space": "name: my skill\ndescription: x\n",
    "dot": "name: my.skill\ndescription: x\n",
    "name in a list": "name:\n  - my-skill\ndescription: x\n",
    "name in a mapping": "name:\n  a: my-skill\ndescription: x\n",
    "description in a list": "name: my-skill\ndescription:\n  - x\n",
    "description in a mapping": "name: my-skill\ndescription:\n  a: x\n",
    "compatibility in a list": f"{GOOD}compatibility:\n  - x\n",
    "too long a description": f"name: my-skill\ndescription: {'d' * 1_025}\n",
    "too long with blanks": f"name: my-skill\ndescription: '{'d' * 1_020}     '\n",
    "too long a compatibility": f"{GOOD}compatibility: {'c' * 501}\n",
    "unknown field": f"{GOOD}version: 1\n",
    "empty key": f"{GOOD}? \n",
    "field in capitals": "Name: my-skill\ndescription: x\n",
    "underscored field": f"{GOOD}allowed_tools: Read\n",
    "twice the same": f"{GOOD}name: my-skill\n",
    "twice in metadata": f"{GOOD}metadata:\n  a: b\n  a: c\n",
    "twice in a list": f"{GOOD}allowed-tools:\n  - a: b\n    a: c\n",
    "colon": "name: my-skill\ndescription: Use when: asked\n",
    "a list in brackets": f"{GOOD}allowed-tools: [Read]\n",
    "a mapping in brackets": f"{GOOD}metadata: {{a: b}}\n",
    "empty brackets": f"{GOOD}metadata: {{}}\n",
    "anchor": "name: &n my-skill\ndescription: x\n",
    "alias": "name: my-skill\ndescription: &d x\nlicense: *d\n",
    "alias of nothing": f"{GOOD}license: *d\n",
    "tag": "name: !!str my-skill\ndescription: x\n",
    "own tag": f"{GOOD}license: !mine x\n",
    "merge": f"{GOOD}<<: x\n",
    "a list": "- name: my-skill\n",
    "a text": "my-skill\n",
    "tab": "name: my-skill\n\tdescription: x\n",
    "indentation": "name: my-skill\n  description: x\n",
    "less indentation": "  name: my-skill\ndescription: x\n",
    "open quote": "name: my-skill\ndescription: 'x\n",
    "open double quote": 'name: my-skill\ndescription: "x\n',
    "unknown escape": 'name: my-skill\ndescription: "\\q"\n',
    "control character": "name: my-skill\ndescription: \x07\n",
    "percent": "name: my-skill\ndescription: %x\n",
    "at": "name: my-skill\ndescription: @x\n",
    "backtick": "name: my-skill\ndescription: `x`\n",
    "hyphens before the description": "name: my-skill # ---\ndescription: x\n",
    "description of hyphens": "name: my-skill\ndescription: --- x\n",
    "hyphens in the name": "name: my---skill\ndescription: x\n",
    "after the document's end": f"{GOOD}...\nmore\n",
    "mappings indented differently": f"{GOOD}metadata:\n  a:\n    x: y\n  b:\n      x: y\n",
    "a directive": f"%YAML 1.1\n{GOOD}",
    "no key": f"{GOOD}: x\n",
    "a key that is a list": f"{GOOD}? - a\n: b\n",
}


@all_cases("header", FINE.values(), ids=FINE)
def test_unusual_headers_that_are_fine(tmp_path: Path, header: str) -> None:
    """What is allowed, however rare, is no problem for either judge."""
    assert judged(tmp_path / NAME, headed(header)) == ()


@all_cases("header", ODD.values(), ids=ODD)
def test_headers_that_are_not(tmp_path: Path, header: str) -> None:
    """What either refuses, both do."""
    assert judged(tmp_path / NAME, headed(header))


NAMES = [*"a1Aéß½²ÉǅﬁａＡ😀", "日本", "a-b-c", "-a", "a-", "a--b", "a_b", "a.b", "a\u0301"]


@all_cases("name", [*NAMES, "a b", "a" * 64, "x" * 65])
def test_names(tmp_path: Path, name: str) -> None:
    """Letters and digits of any script, in lowercase, compared in the compatible form."""
    judged(tmp_path / name, headed(f"name: {name}\ndescription: x\n"))


@all_cases(
    "data",
    [
        b"",
        b"---",
        b"---\n",
        b"------",
        b"---\n---\n",
        b"# Title\n",
        GOOD.encode(),
        f"---\n{GOOD}".encode(),
        f"\n---\n{GOOD}---\n".encode(),
        f"\ufeff---\n{GOOD}---\n".encode(),
        f"---{GOOD}---\n".encode(),
        f"----\n{GOOD}---\n".encode(),
        f"--- \n{GOOD}--- \n".encode(),
        f"---\n{GOOD}----\n".encode(),
        f"---\n{GOOD}  ---\n".encode(),
        f"---\n{GOOD}---".encode(),
        f"---\n{GOOD}---\n".replace("\n", "\r\n").encode(),
        f"---\n{GOOD}---\n".replace("\n", "\r").encode(),
        f"---\n{GOOD}---\n".encode() + b"\xff",
        f"---\n{GOOD}---\n".encode("utf-16"),
        b"\x00\x01",
    ],
)
def test_whole_files(tmp_path: Path, data: bytes) -> None:
    """How a file begins and ends, its line ends and its encoding are judged alike."""
    judged(tmp_path / NAME, data)


def test_folders_without_a_skill(tmp_path: Path) -> None:
    """No folder, a file, an empty folder, a SKILL.md that is a folder: problems all."""
    (tmp_path / "file").touch()
    (tmp_path / "empty").mkdir()
    (tmp_path / "odd" / "SKILL.md").mkdir(parents=True)
    for name in ("gone", "file", "empty", "odd"):
        assert problems(tmp_path / name) and refused(tmp_path / name)


def test_a_header_no_client_reads_is_a_problem(tmp_path: Path) -> None:
    """Where reading ends, the judgement is made without reading on."""
    (tmp_path / "SKILL.md").write_bytes(headed(f"{GOOD}license: {'x' * 70_000}\n"))
    assert len(problems(tmp_path)) == 1 and "65,536" in problems(tmp_path)[0]


def test_a_small_name_is_a_skill_too(tmp_path: Path) -> None:
    """`skill.md` is judged where there is no SKILL.md."""
    folder = tmp_path / NAME
    folder.mkdir()
    (folder / "skill.md").write_bytes(headed(GOOD))
    assert problems(folder) == () and not refused(folder)
    (folder / "skill.md").write_bytes(headed("name: x\n"))
    assert len(problems(folder)) == 2 and refused(folder)


def test_a_folder_without_a_name_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """`.` is the folder one stands in, and a link keeps its own name."""
    judged(tmp_path / NAME, headed(GOOD))
    monkeypatch.chdir(tmp_path / NAME)
    assert problems(Path()) == ()
    (tmp_path / "other").symlink_to(tmp_path / NAME)
    assert problems(tmp_path / "other") and refused(tmp_path / "other")


KEYS = st.sampled_from(
    ["name", "description", "license", "compatibility", "metadata", "allowed-tools", "other", "a"]
)
TEXTS = st.sampled_from(
    ["my-skill", "x", "", "a b", "yes", "1", "'q: r'", '"s"', "~", "a #b", "- a"]
)
SIGNS = [*"#'\"|[]{}%@,=é😀\\x", ">-", "---", "..."]
PIECES = st.sampled_from(
    [*SIGNS, ": ", "\n", "\n  ", "\n    ", "- ", " # ", "&a ", "*a", "!t ", "? ", "\t", "a: b\n"]
)
LINES = st.builds("{}: {}\n".format, KEYS, TEXTS | st.lists(PIECES, max_size=5).map("".join))
INNER = st.builds("  {}: {}\n".format, KEYS, TEXTS)


@given(
    before=st.lists(LINES | INNER, max_size=2).map("".join),
    after=st.lists(LINES | INNER | PIECES, max_size=5).map("".join),
)
def test_generated_headers_are_judged_alike(
    tmp_path_factory: pytest.TempPathFactory, before: str, after: str
) -> None:
    """Fields and fragments in any order: one verdict."""
    folder = tmp_path_factory.mktemp("made") / NAME
    try:
        judged(folder, headed(before + GOOD + after))
    finally:
        shutil.rmtree(folder.parent)
