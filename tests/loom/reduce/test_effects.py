"""What a shell command changes, by the program and its words."""

from hypothesis import given
from hypothesis import strategies as st

from loom.reduce.effects import LONGEST, MOST, effects
from tests.kit.cases import all_cases


def told(line: str) -> list[str]:
    """The effects of a line, those that are not sure with a question mark."""
    return [
        " ".join(filter(None, (one.what, one.path, one.to))) + ("" if one.sure else "?")
        for one in effects(line)
    ]


@all_cases(
    "line",
    [
        "", "ls", "sed -n 1,2p a.py", "pytest > /dev/null 2>&1", "cmd 2>&1", "git stash list",
        "git checkout main", "git checkout -b v1.2", "git restore --staged a.py", "npm ci",
        "git reset HEAD a.py", "echo 'rm a.py > b.py'", "rm $f *.py",
        "for f in a b; do rm $f; done",
        "python - <<'E'\nrm a.py\necho x > b.py\nE", "git commit --dry-run", "[ 1 -gt 0 ]",
        "diff <(a) <(b)", "grep 'a > b.py' c.py", "black --check a.py", "echo x > /tmp/a.py",
        "find . -name x | xargs sed -i s/a/b/", "pip install x", "# rm a.py", "cat < a.py",
    ],
)  # fmt: skip
def test_what_changes_nothing_known(line: str) -> None:
    """What is quoted, a heredoc's, thrown away, or filled in by the shell is no known change."""
    assert told(line) == []


@all_cases(
    ("line", "changes"),
    [
        ("sed -i 's/a/b/' a.py b/c.py", ["wrote a.py", "wrote b/c.py"]),
        ("sed -i '' -e 's/a/b/' a.py", ["wrote a.py"]),
        ("sed -i.bak -E s/a/b/ Makefile", ["wrote Makefile"]),
        ("perl -pi -e 's/a/b/' a.py", ["wrote a.py"]),
        ("perl -i -pe 's/a/b/' a.py", ["wrote a.py"]), ("mv a.py 'b c.py'", ["moved a.py b c.py"]),
        ("cd web && mv a b/ && rm -rf c", ["moved web/a web/b/a", "removed web/c"]),
        ("(cd web && rm a); rm b", ["removed web/a", "removed b"]),
        ("cd /r && echo x > ../a.py", ["wrote /a.py"]),
        ("cd web; rm a; cd -; rm b", ["removed web/a", "removed b"]),
        ("pushd c; popd; rm d", ["removed d"]),
        ("cp a.py x.py lib/", ["wrote lib/a.py", "wrote lib/x.py"]),
        ("cat > a.py <<'EOF'\nrm x.py > y\nEOF\nrm z.py", ["wrote a.py", "removed z.py"]),
        ("echo x >> log.txt", ["wrote log.txt"]), ("foo | tee -a out.txt", ["wrote out.txt"]),
        ("make &> out.log", ["wrote out.log"]), ("git checkout -- a", ["took back a"]),
        ("git -C web checkout HEAD~1 -- a.py", ["took back web/a.py"]),
        ("git restore .", ["took back *"]), ("git reset --hard HEAD", ["took back *"]),
        ("git rm a.py; git mv b c", ["removed a.py", "moved b c"]),
        ("git add -A && git commit -qm 'rm a.py'", ["committed"]),
        ("patch -p1 <<'E'\n--- a/x.py\n+++ b/x.py\n+rm y\nE", ["wrote x.py"]),
        ("git apply <<E\n+++ b/q.py\nE", ["wrote q.py"]),
        ("apply_patch <<'E'\n*** Update File: z.py\nE", ["wrote z.py"]),
        ("touch a; mkdir d; truncate -s 0 b", ["wrote a", "wrote b"]), ("ln -sf a b", ["wrote b"]),
        ("sudo bash -c 'cd x && rm a'", ["removed x/a"]), ("pytest || rm x.py", ["removed x.py?"]),
        ("if a; then rm b.py; fi", ["removed b.py?"]), ("pytest && rm x.py", ["removed x.py"]),
        ("pytest && git commit -m x | tail", ["committed"]),
    ],
)  # fmt: skip
def test_changes(line: str, changes: list[str]) -> None:
    """Each change with its files, from where the line begins; what may not be is told so."""
    assert told(line) == changes


@given(st.text("abrm >|&;$'\"<\n{}()mvsedi-.py/=", max_size=300))
def test_any_line_has_a_bounded_number_of_changes(line: str) -> None:
    """Whatever a line holds, its changes are few, each of a path of one bounded line."""
    found = effects(line)
    assert len(found) <= MOST
    assert all(len(one.path) <= 2 * LONGEST and "\n" not in one.path for one in found)
