from hypothesis import given
from hypothesis import strategies as st

from loom.reduce.structure import structural
from loom.reduce.structure.html import visible

TAGS = st.sampled_from([
    "<p>", "</p>", "<div hidden>", "</div>", "<script>", "</script>", "<!--", "-->",
    "<a href='/x'>",
    "</a>", "<h2>", "</h2>", "<li>", "<td", ">", "<![", "<?", "&amp;", "&#x", "word ", "<style>",
])  # fmt: skip


def test_a_page_is_its_text() -> None:
    """Title, headings, lists, cells and links stay; scripts and hidden parts go."""
    title, lines = visible(
        "<html><head><title>T &amp; U</title><style>p{}</style></head><body><!-- no -->"
        "<h1>Head</h1><p>One <b>two</b></p><ul><li>a<li><a href='https://e.example'>b</a></ul>"
        "<div hidden>no</div><p style='display: none'>no</p><script>no()</script>"
        "<table><tr><td>x</td><td>y</td></tr></table></body></html>"
    )
    assert title == "T & U"
    assert lines == ["# Head", "One two", "- a", "- b (https://e.example)", "x | y"]


def test_a_long_page_keeps_its_headings() -> None:
    """Headings stay before paragraphs."""
    page = "<!DOCTYPE html><title>Guide</title>" + "".join(
        f"<h2>Part {n}</h2><p>{'Some words of it. ' * 20}</p>" for n in range(12)
    )
    found = structural(page, 1500, "outputs/page.html")
    assert found.kind == "html" and "“Guide”" in found.text
    assert all(f"## Part {n}" in found.text for n in range(12))


@given(st.lists(TAGS, max_size=60).map("".join))
def test_broken_html_never_raises(text: str) -> None:
    """Any soup of tags is read."""
    visible(text)


def test_records_of_markup_are_counted() -> None:
    """XML on one line is told by its elements, like ones once."""
    text = '<?xml version="1.0"?><feed>' + "".join(f"<e><id>{n}</id></e>" for n in range(500))
    found = structural(text, 600, "outputs/feed.xml")
    assert found.kind == "text" and "[×" in found.text and "<feed>" in found.text
