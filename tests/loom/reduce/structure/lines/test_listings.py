from loom.reduce.structure import structural

REF = "outputs/grep_0003.txt"


def test_hits_are_grouped_by_file() -> None:
    """Hits stand under their file's whole name with true counts."""
    lines = [f"/srv/app/src/mod{n % 9}.py:{n + 1}:    value = compute({n})" for n in range(400)]
    lines[333] = "/srv/app/src/mod0.py:334:    raise QuotaExceeded"
    found = structural("\n".join(lines), 1500, REF, objective="where is QuotaExceeded raised")
    assert found.kind == "log"
    assert "400 hits in 9 files" in found.text and "/srv/app/src/mod0.py (" in found.text
    assert all(f"mod{n}.py (" in found.text for n in range(9))
    assert "334:    raise QuotaExceeded" in found.text


def test_times_are_no_places() -> None:
    """`10:00:01 …` is a stamp, not a file and a line."""
    lines = [f"10:{n // 60:02}:{n % 60:02} INFO ready {n}" for n in range(500)]
    assert "log of 500 lines" in structural("\n".join(lines), 500).text


def test_paths_are_grouped_by_folder() -> None:
    """A listing of paths tells folders, counts, endings and names."""
    lines = [f"./src/{'core' if n % 3 else 'api'}/f{n}.py" for n in range(300)]
    found = structural("\n".join(lines), 900, REF)
    assert "300 paths in 2 folders" in found.text and "300 .py" in found.text
    assert "core/ (200)" in found.text and "api/ (100)" in found.text


def test_long_listings_keep_names_and_sizes() -> None:
    """Of `ls -l` the names and sizes stay."""
    lines = ["total 9"] + [f"-rw-r--r--  1 u g {n * 100:6} Jan  2 10:00 f{n}.py" for n in range(90)]
    found = structural("\n".join(lines), 700, REF).text
    assert "90 entries in 1 folder" in found and "f0.py (0 bytes)" in found
