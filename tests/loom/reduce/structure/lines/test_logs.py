from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from loom.reduce.structure import structural
from loom.reduce.structure.lines.line_templates import group, mask

REF = "outputs/shell_0003.log"


def server(count: int, seed: int = 3) -> list[str]:
    """A server's log of three templates."""
    rng = Random(seed)
    kinds = (
        lambda n: f"INFO http GET /api/users/{rng.randrange(9999)} 200 {rng.randrange(90)}ms",
        lambda n: f"DEBUG cache hit key=session:{rng.getrandbits(64):016x}",
        lambda n: f"INFO worker-{n % 8} finished job {rng.getrandbits(128):032x}",
    )
    return [
        f"2026-01-02 10:{n // 60 % 60:02}:{n % 60:02},{n % 1000:03} {rng.choice(kinds)(n)}"
        for n in range(count)
    ]


def test_templates_are_counted() -> None:
    """Each template stands once at its first line with its true count and last line."""
    lines = server(600)
    groups, of_line = group(lines)
    assert len(set(of_line)) == 3
    found = structural("\n".join(lines), 1200, REF)
    assert found.kind == "log" and "log of 600 lines" in found.text and "3 templates" in found.text
    for one in {place: groups[place] for place in of_line}.values():
        assert f"{one.first + 1}: {lines[one.first]}  [×{one.count:,}, last at {one.last + 1}]" in (
            found.text
        )


@settings(max_examples=25)
@given(place=st.integers(0, 599), limit=st.integers(1000, 4000), seed=st.integers(0, 5))
def test_an_error_survives_wherever_it_stands(place: int, limit: int, seed: int) -> None:
    """The one error of a long log is shown verbatim with its number, and its frames."""
    lines = server(600, seed)
    lines[place : place + 1] = [
        "2026-01-02 10:00:00,000 ERROR pool connection to 10.0.0.3:5432 refused",
        "java.net.ConnectException: Connection refused",
        "    at db.Pool.get(Pool.java:33)",
        "    at db.Main.run(Main.java:3)",
    ]
    found = structural("\n".join(lines), limit, REF).text
    assert f"{place + 1}: {lines[place]}" in found
    assert f"{place + 3}:     at db.Pool.get(Pool.java:33)" in found
    assert "\n1: " in found and f"\n{len(lines)}: " in found


def test_a_python_trace_keeps_its_innermost_frames() -> None:
    """Of a long trace its head, its last frames and its exception stay together."""
    frames = [f'  File "/srv/lib{n}.py", line {n}, in f{n}\n    f{n + 1}()' for n in range(60)]
    text = "\n".join([*server(200), "Traceback (most recent call last):", *frames, "ValueError: 9"])
    found = structural(text, 1500, REF).text
    assert "201: Traceback" in found and "ValueError: 9" in found and "lib59.py" in found


def test_words_that_vary_make_one_template() -> None:
    """Lines that differ in one word are one template; failures never join them."""
    names = ("serde", "syn", "rand", "tokio", "hyper", "libc", "quote", "error")
    groups, of_line = group([f"   Compiling {name} v1.0.{n}" for n, name in enumerate(names * 3)])
    assert len(set(of_line)) == 2
    assert groups[of_line[0]].count == 21 and groups[of_line[7]].count == 3


def test_masks_leave_what_is_common() -> None:
    """Numbers, long hexadecimal words and paths go; words stay."""
    assert mask("GET /api/v1/users/12 took 3.5ms id=0a1b2c3d4e5f") == "GET * took #.#ms id=*"


def test_lines_of_the_objective_are_preferred() -> None:
    """A line that shares terms with the objective is shown although its template is frequent."""
    lines = [
        f"2026-01-02 10:00:00 INFO job {n} of queue {chr(97 + n % 26)}q done" for n in range(900)
    ]
    lines[444] = "2026-01-02 10:00:00 INFO job 444 of queue payments done"
    found = structural("\n".join(lines), 900, REF, objective="look at the payments queue").text
    assert f"445: {lines[444]}" in found


def test_no_word_of_failure_where_there_was_none() -> None:
    """`0 failed` is no failure."""
    lines = [f"suite {n}: 12 passed, 0 failed" for n in range(500)]
    groups, _ = group(lines)
    assert groups[0].severity == 0
