from loom.reduce.structure import structural
from loom.reduce.structure.lines.outline import depth_of

REF = "outputs/read_0001.py"


def code(count: int) -> str:
    """A module of `count` functions."""
    return "\n".join(
        f"def step_{n}(value: int) -> int:\n    total = value * {n}\n    return total\n"
        for n in range(count)
    )


def test_code_stands_in_one_run_from_the_top() -> None:
    """Word for word, then heads from further down, each run under the number of its first line."""
    whole = code(60)
    found = structural(whole, 1500, REF)
    assert found.kind == "text" and "60 heads" in found.text
    _, _, body = found.text.partition("\n")
    run, _, rest = body.partition("\n… line ")
    assert len(run) > 900 and whole.startswith(run)
    lines = whole.split("\n")
    assert rest
    for part in f"{rest}".split("\n… line "):
        number, _, shown = part.partition(":\n")
        at = int(number) - 1
        assert shown.split("\n") == lines[at : at + shown.count("\n") + 1]


def test_numbers_a_tool_put_before_lines_are_told_once() -> None:
    """The lines stand without them, as an edit needs them; runs begin with the tool's number."""
    lines = [f"{n + 41:6}→{line}" for n, line in enumerate(code(60).split("\n"))]
    found = structural("\n".join(lines), 900, REF).text
    assert "\n… line 41:\ndef step_0(value: int) -> int:\n    total = value * 0\n" in found
    assert "→def" not in found


def test_headings_of_markdown_stay() -> None:
    """Prose shows its headings, outer ones first."""
    text = "\n".join(f"## Part {n}\n\n{'Words of prose. ' * 12}\n" for n in range(12))
    found = structural(f"# Guide\n\n{text}", 1200, REF).text
    assert "# Guide" in found and all(f"## Part {n}" in found for n in range(12))


def test_diffs_tell_files_and_their_changes() -> None:
    """Each file of a diff stands with how many lines it adds and removes."""
    text = "\n".join(
        f"diff --git a/f{n}.py b/f{n}.py\n@@ -1,3 +1,9 @@ def f{n}():\n"
        + "+new\n" * 9
        + "-old\n" * 3
        + " same\n" * 20
        for n in range(8)
    )
    found = structural(text, 1200, REF).text
    assert "diff of 8 files, +72 −24" in found
    assert all(f"b/f{n}.py  [+9 −3]" in found for n in range(8))


def test_heads_are_known_by_form() -> None:
    """Definitions of many languages head something; calls and prose do not."""
    for line in (
        "class A:",
        "pub fn run(x: u8) {",
        "func (s *S) Go() error {",
        "## Part",
        "type T struct {",
    ):
        assert depth_of(line) == (1 if line == "## Part" else 0)
    assert depth_of("    async def go(self):") == 1
    for line in ("call(x)", "It is a class of its own", "return value", "", "    x = 1"):
        assert depth_of(line) is None
