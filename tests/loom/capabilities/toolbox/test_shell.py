"""Shell utilities that are run, and how."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from loom.capabilities.toolbox import DEFAULT, RunLimits, Shell, ToolRefused
from loom.capabilities.toolbox.shell import PATH
from tests.kit.cases import all_cases

ALLOWED = [
    ("cat a.txt", "one\ntwo\nthree\n"),
    ("cat -n 'with space.txt'", "     1\tein Wort\n"),
    ("cat with\\ space.txt", "ein Wort\n"),
    ("cat ./src/../a.txt | head -1", "one\n"),
    ("cat -- -o", "an odd name\n"),
    ("cat src/near | head -n 1", "import os\n"),
    ("head -n2 a.txt | tail -n 1", "two\n"),
    ("tail -n +3 a.txt", "three\n"),
    ("wc -l a.txt", "3 a.txt\n"),
    ("grep -n '^t' a.txt", "2:two\n3:three\n"),
    ("grep -rn 'two()' src", "src/b.py:4:def two() -> int:\n"),
    ("grep -r --include='*.py' -l import .", "./src/b.py\n"),
    ("grep -e /etc -e one a.txt", "one\n"),
    ("grep '../x\\|one' a.txt", "one\n"),
    ("grep -c secret -r .", None),
    ("ls src", "b.py\nnear\n"),
    ("ls -la --color=never src | wc -l", "5\n"),
    ("find . -name '*.py' -not -path './scripts/*'", "./src/b.py\n"),
    ("find src -type f \\( -name 'b*' -o -name 'c*' \\) -maxdepth 1 -printf '%f\\n'", None),
    ("sort -r a.txt | uniq -c | sort -k1,1n | head -1", None),
    ("cut -c 1-2 a.txt", "on\ntw\nth\n"),
    ("cut -d 'e' -f1 a.txt", "on\ntwo\nthr\n"),
    ("sed -n '2p' a.txt", "two\n"),
    ("sed -n '/two/,$p' a.txt", "two\nthree\n"),
    ("sed -e 's/one/1/' -e 's|two|2|g' a.txt", "1\n2\nthree\n"),
    ("sed '/^t/!d; s,o,0,;y/w/W/' a.txt", "tW0\nthree\n"),
    ("sed ':a;N;$!ba;s/\\n/ /g' a.txt", "one two three\n"),
    ("sed -n '2{p;q}' a.txt", "two\n"),
    ("sed -nE '1~2s/(o)/<\\1>/p' a.txt", "<o>ne\n"),
    ("diff a.txt a.txt", ""),
    ("diff -u --label=a --label=b a.txt -", None),
    ("du -sh src", None),
    ("stat -c %s a.txt", "14\n"),
    ("file -b a.txt", "ASCII text\n"),
    ("jq -c .a.b data.json", "[1,2,3]\n"),
    ("jq -r '.. | numbers' data.json", "1\n2\n3\n"),
    ("jq -n --arg x /etc '$x'", '"/etc"\n'),
    ("jq -c '# all\n.include, (.import | . == \"import\")' data.json", "null\nfalse\n"),
    ("rg -n two a.txt", "2:two\n"),
    ("tree -L 1 src", None),
]
GIT = [
    ("git log --oneline --no-decorate -1 --format=%s", "Begin\n"),
    ("git log --stat -p -- a.txt", None),
    ("git log -S two --since=2000-01-01 main", None),
    ("git status --short -uno", ""),
    ("git status", None),
    ("git log --format=%G?%s --no-decorate", "NBegin\n"),
    ("git diff", None),
    ("git diff --stat HEAD -- src", ""),
    ("git show HEAD:a.txt", "one\ntwo\nthree\n"),
    ("git show --stat HEAD~0", None),
    ("git blame -s -L 1,1 a.txt", None),
    ("git ls-files '*.py'", "src/b.py\n"),
    ("git -C src ls-files", "b.py\nnear\n"),
    ("git grep -n 'def ' -- src", "src/b.py:4:def two() -> int:\n"),
    ("git rev-parse --abbrev-ref HEAD", "main\n"),
    ("git branch --list", "* main\n"),
    ("git branch --show-current", "main\n"),
    ("git branch -a --list 'm*'", "* main\n"),
    ("git tag -l", ""),
    ("git remote -v", ""),
    ("git --no-pager describe --always --abbrev=7", None),
    ("git ls-tree --name-only HEAD", "a.txt\nsrc\n"),
    ("git cat-file -t HEAD", "commit\n"),
    ("git merge-base HEAD main", None),
]


def needed(command: str) -> None:
    """Skip where one of the programs is not installed."""
    for name in (stage.split()[0] for stage in command.split(" | ")):
        if name in DEFAULT and shutil.which(name, path=PATH) is None:
            pytest.skip(f"{name} is not installed")


@all_cases(("command", "stdout"), ALLOWED)
def test_allowed(project: Path, command: str, stdout: str | None) -> None:
    """The command runs, says what it should, and shows nothing of what lies outside."""
    needed(command)
    ran = Shell(project).run(command, stdin=b"one\ntwo\nthree\n" if command.endswith("-") else b"")
    assert (ran.stderr, ran.timed_out, ran.cut) == (b"", False, 0)
    assert ran.exit_code in ({0, 1} if "-c secret" in command else {0})
    assert stdout is None or ran.stdout.decode() == stdout
    assert b"the secret" not in ran.stdout


@all_cases(("command", "stdout"), GIT)
def test_git(repository: Path, tmp_path: Path, command: str, stdout: str | None) -> None:
    """What reads is run; what the repository would start is not, and its index stays as it is."""
    os.utime(repository / "a.txt", (1, 1))  # the index is out of date, and must not be refreshed
    index = (repository / ".git" / "index").read_bytes()
    ran = Shell(repository).run(command)
    assert (ran.exit_code, ran.stderr) == (0, b"")
    assert stdout is None or ran.stdout.decode() == stdout
    assert not (tmp_path / "ran").exists()
    assert (repository / ".git" / "index").read_bytes() == index


def test_git_stays_in_the_project(repository: Path) -> None:
    """A repository the project lies in is none of its own."""
    with pytest.raises(ToolRefused, match="no repository"):
        Shell(repository / "src").run("git log")


def test_links_are_not_followed_by_the_way(project: Path) -> None:
    """What goes through folders does not leave by the links in them."""
    shell = Shell(project)
    (project / "other").mkdir()
    (project / "other" / "link").symlink_to("../dir_out")
    (project / "src" / "link").symlink_to("../file_out")
    (project / "scripts" / "link").write_text("mine\n")
    for command in (
        "grep -r secret .",
        "find . -type f -name 'secret*'",
        "diff -r src scripts",
        "ls -R .",
    ):
        ran = shell.run(command)
        assert b"the secret" not in ran.stdout, command
        assert b"secret.txt\n" not in ran.stdout, command


def test_no_output(project: Path) -> None:
    """A command that finds nothing says so by its exit code, in the text too."""
    ran = Shell(project).run("grep nothing a.txt")
    assert (ran.exit_code, ran.stdout, ran.stderr) == (1, b"", b"")
    assert ran.text == "[exit code 1]"
    assert ran.command == ("grep", "nothing", "a.txt")


def test_failure(project: Path) -> None:
    """What a failed command says on standard error is in the text, what a good one says is not."""
    ran = Shell(project).run("cat a.txt missing")
    assert ran.exit_code == 1 and ran.stdout == b"one\ntwo\nthree\n"
    assert "missing" in ran.text and "[exit code 1]" in ran.text
    ran = Shell(project).run("cat missing | cat a.txt")
    assert ran.exit_code == 0 and b"missing" in ran.stderr
    assert ran.text == "one\ntwo\nthree\n"
    assert ran.command == ("cat", "missing", "|", "cat", "a.txt")


def test_stdin(project: Path) -> None:
    """Standard input goes to the first command, however much it is and whoever reads it."""
    shell = Shell(project)
    assert shell.run("cat", b"x\0y").stdout == b"x\0y"
    assert shell.run("cat").stdout == b""
    assert shell.run("wc -c", b"x" * 3_000_000).stdout == b"3000000\n"
    assert shell.run("head -c 1", b"x" * 3_000_000).stdout == b"x"
    assert shell.run("cat | sort | uniq -c", b"b\na\nb\n").stdout.split() == [
        b"1", b"a", b"2", b"b",
    ]  # fmt: skip
    assert shell.run("ls", b"unread").exit_code == 0


def test_cwd(project: Path) -> None:
    """A command starts in a folder of the project, and its paths are read from there."""
    shell = Shell(project)
    assert shell.run("ls", cwd="src").stdout == b"b.py\nnear\n"
    assert shell.run("cat ../a.txt", cwd="src").exit_code == 0
    with pytest.raises(ToolRefused):
        shell.run("cat ../../outside/secret.txt", cwd="src")
    assert shell.run(["cat", str(project / "a.txt")]).exit_code == 0


def test_a_project_behind_a_link(project: Path, tmp_path: Path) -> None:
    """A project is where its link leads."""
    link = tmp_path / "link"
    link.symlink_to(project)
    shell = Shell(link)
    assert shell.root == Path(os.path.realpath(project))
    assert shell.run(["cat", str(link / "a.txt")]).exit_code == 0


def test_a_late_command(project: Path) -> None:
    """A command that waits for ever is killed, and said to have been late."""
    os.mkfifo(project / "pipe")
    ran = Shell(project, limits=RunLimits(seconds=0.3)).run("cat pipe | sort | wc -l")
    assert ran.timed_out and not ran.ok
    assert ran.exit_code == -9
    assert "stopped after" in ran.text


def test_the_host_says_what_is_allowed(project: Path) -> None:
    """Fewer programs, or others."""
    with pytest.raises(ToolRefused, match="there are cat"):
        Shell(project, ["cat"]).run("ls")
    assert Shell(project, ["basename"]).run("basename src/b.py").stdout == b"b.py\n"
