"""The files a shell command touches, by the program and its words."""

from loom.reduce.effects import touched_paths
from tests.kit.cases import all_cases


@all_cases(
    "line",
    [
        "", "ls", "sed -n 1,2p a.py", "pytest > /dev/null 2>&1", "cmd 2>&1", "git stash list",
        "git checkout main", "git checkout -b v1.2", "git reset HEAD a.py",
        "echo 'rm a.py > b.py'", "rm $f *.py", "for f in a b; do rm $f; done",
        "python - <<'E'\nrm a.py\necho x > b.py\n+++ b/q.py\nE", "git commit -m x",
        "[ 1 -gt 0 ]", "diff <(a) <(b)", "grep 'a > b.py' c.py", "echo x > /dev/null",
        "pip install x", "# rm a.py", "cat < a.py", "[[ a > b ]]", "git rm --cached a.py",
        "patch --dry-run <<E\n+++ b/a.py\nE", "(( 5 > 3 ))", "if false; then rm x; fi",
        "case a in b) rm x;; esac", "f() { rm x; }", "if ((x > 1)); then echo > y; fi",
        "rm --help a.py", "perl -Mstrict a.py", "sed -e i a.py", "(( (a) > b ))",
    ],
)  # fmt: skip
def test_what_touches_nothing_known(line: str) -> None:
    """What is quoted, a heredoc's, thrown away, or filled in by the shell is no known file."""
    assert touched_paths(line) == []


@all_cases(
    ("line", "paths"),
    [
        ("sed -i 's/a/b/' a.py", ["a.py"]), ("perl -pi -e 's/a/b/' a.py", ["a.py"]),
        ("cd web && mv a b/ && rm -rf c", ["web/a", "web/b", "web/c"]),
        ("(cd web && rm a); rm b", ["web/a", "b"]), ("cd /r && echo x > ../a.py", ["/a.py"]),
        ("cp a.py x.py lib/", ["lib"]), ("foo | tee -a out.txt", ["out.txt"]),
        ("cat > a.py <<'EOF'\nrm x.py > y\nEOF\nrm z.py", ["a.py", "z.py"]),
        ("make &> out.log", ["out.log"]), ("git -C web checkout HEAD~1 -- a.py", ["web/a.py"]),
        ("git rm a.py; git mv b c", ["a.py", "b", "c"]),
        ("patch -p1 <<'E'\n--- a/x.py\n+++ b/x.py\n+rm y\nE", ["x.py"]),
        ("sudo bash -c 'cd x && rm a'", ["x/a"]), ("touch -d 'a day ago' b", ["b"]),
        ("sed -Ei.bak s/a/b/ c", ["c"]), ("echo x > /tmp/a.py", ["/tmp/a.py"]),
        ("git checkout --ours a/b.go", ["a/b.go"]), ("git checkout HEAD~1 a.py", ["a.py"]),
        ("git checkout .", ["."]), ("cd src && git stash", ["src"]), ("git reset --hard x", ["."]),
        ("sed -i s/a/b/ a b", ["a", "b"]),
        ("sed -i -e s/a/b/ -e s/c/d/ a b", ["a", "b"]),
        ("sed -i '' s/a/b/ a", ["a"]), ("truncate -s 0 b", ["b"]),
        ("for f in a b; do echo $f >> c.py; done", ["c.py"]),
        ("ruff check --fix src/ tests/a.py", ["src", "tests/a.py"]),
        ("npx prettier --write .", ["."]), ("npm run lint -- --fix", ["."]),
    ],
)  # fmt: skip
def test_touched(line: str, paths: list[str]) -> None:
    """Files by their names from where the line begins, each once."""
    assert touched_paths(line) == paths
