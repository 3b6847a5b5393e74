from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from loom.reduce.structure import structural

REF = "outputs/query_0001.csv"


@settings(max_examples=20)
@given(
    values=st.lists(st.integers(-9999, 9999), min_size=150, max_size=300, unique=True),
    mark=st.sampled_from([",", "\t", ";"]),
)
def test_extremes_and_counts_are_true(values: list[int], mark: str) -> None:
    """Header, row count, the rows of the least and greatest value, and the range."""
    rows = [mark.join(("name", "price", "state"))]
    rows += [mark.join((f"item {n}", str(v), "ok")) for n, v in enumerate(values)]
    found = structural("\n".join(rows), 900, REF)
    assert found.kind == "table"
    assert f"of {len(values):,} rows, 3 columns" in found.text
    assert f"1: {rows[0]}" in found.text
    for value in (min(values), max(values)):
        at = values.index(value) + 1
        assert f"{at + 1}: {rows[at]}" in found.text
    assert f"price: {min(values)} to {max(values)} in {len(values)} numbers" in found.text
    assert f"state: 1 value: ok {len(values)}" in found.text


def test_quoted_cells_may_hold_marks_and_lines() -> None:
    """A quoted cell over several lines is one cell of one row."""
    rows = ["id,text,score"] + [f'{n},"a, b\nc",{n * 2}' for n in range(200)]
    assert "of 200 rows, 3 columns" in structural("\n".join(rows), 600, REF).text


def test_markdown_and_aligned_tables() -> None:
    """Tables of pipes and of blanks are told by their columns too; a rare row stays."""
    markdown = ["| id | size |", "|---|---:|"] + [f"| {n} | {n * 7 % 101} |" for n in range(300)]
    assert "table (Markdown) of 300 rows, 2 columns" in structural("\n".join(markdown), 700).text
    rng = Random(1)
    rows = ["CONTAINER ID   STATUS          NAMES"]
    rows += [f"{rng.getrandbits(48):012x}   Up {n:2} hours     web_{n}" for n in range(80)]
    rows[50] = f"{7:012x}   Exited (137)    web_x"
    found = structural("\n".join(rows), 900, REF).text
    assert "of 80 rows, 3 columns" in found and rows[50] in found


def test_prose_with_commas_is_no_table() -> None:
    """Lines without columns are text."""
    prose = "\n".join(
        f"{'After that, he' if n % 3 else 'So they'} left {'again, ' * (n % 4)}at last."[n % 7 :]
        for n in range(200)
    )
    assert structural(prose, 500).kind == "text"
