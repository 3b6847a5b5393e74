"""Commands that must not be run, each with the reason it is refused for."""

from __future__ import annotations

from pathlib import Path

import pytest

from loom.capabilities.toolbox import Shell, ToolRefused
from loom.errors import LoomError
from tests.kit.cases import all_cases

LEADS_OUT = "outside the project"
RUNS, WRITES, DELETES = "runs a program", "writes a file", "deletes"
LINKS = "follows links"
HARMLESS = "known to be harmless"
SCRIPT = "only scripts of"
MODULES = "modules from other places"
NOT_HERE = "not among the programs allowed"

COMMANDS = [
    # What a shell would do.
    ("", "no command"),
    ("   ", "no command"),
    ("| cat", "no command"),
    ("cat a.txt |", "no command"),
    ("cat a.txt | | wc", "no command"),
    ("cat a.txt > b.txt", "redirects"),
    ("cat a.txt >> a.txt", "redirects"),
    ("cat a.txt 2>/dev/null", "redirects"),
    ("cat a.txt 2>&1", "redirects"),
    ("cat a.txt &> b", "redirects"),
    ("cat a.txt >| a.txt", "redirects"),
    ("cat < a.txt", "redirects"),
    ("cat << END", "here-document"),
    ("diff <(cat a.txt) a.txt", "another command"),
    ("cat a.txt >(cat)", "another command"),
    ("cat a.txt; rm a.txt", "chains"),
    ("cat a.txt;rm a.txt", "chains"),
    ("cat a.txt && rm a.txt", "chains"),
    ("cat a.txt || rm a.txt", "chains"),
    ("cat a.txt & rm a.txt", "background"),
    ("cat a.txt |& wc", "joins"),
    ("cat a.txt\nrm a.txt", "new line"),
    ("cat a.txt\r\nrm a.txt", "new line"),
    ("cat $(echo a.txt)", r"expanded by a shell"),
    ("cat `echo a.txt`", "backtick"),
    ('cat "$(echo a.txt)"', "expanded by a shell"),
    ('cat "`echo a.txt`"', "backtick"),
    ("cat $HOME/x", "expanded by a shell"),
    ("cat ${HOME}/x", "expanded by a shell"),
    ("cat $'a.txt'", "expanded by a shell"),
    ("cat $?", "expanded by a shell"),
    ("(cat a.txt)", "subshell"),
    ("cat a.txt )", "subshell"),
    ("cat a.txt # all", "comment"),
    ("cat 'a.txt", "quote is not closed"),
    ('cat "a.txt', "quote is not closed"),
    ("cat a.txt \\", "quote is not closed"),
    ("cat *.txt", "expand a pattern"),
    ("wc -l src/*.py", "expand a pattern"),
    ("cat 'a\0b'", "NUL"),
    ("cat a\ud800", "surrogate"),
    ("cat " + "a" * 40_000, "longer than"),
    (" | ".join(["cat"] * 9), "more than 8"),
    # Programs.
    ("rm a.txt", NOT_HERE),
    ("python -c 1", NOT_HERE),
    ("sh -c ls", NOT_HERE),
    ("awk 1 a.txt", NOT_HERE),
    ("env ls", NOT_HERE),
    ("xargs rm", NOT_HERE),
    ("find . | xargs rm", NOT_HERE),
    ("cat a.txt | tee b.txt", NOT_HERE),
    ("X=1 ls", "variables are not set"),
    ("./git status", "bare name"),
    ("/bin/ls", "bare name"),
    ("src/../git status", "bare name"),
    ("../outside/x", "bare name"),
    ("'' ls", NOT_HERE),
    # Paths.
    ("cat /etc/passwd", LEADS_OUT),
    ("cat ../outside/secret.txt", LEADS_OUT),
    ("cat src/../../outside/secret.txt", LEADS_OUT),
    ("cat ./././../outside/secret.txt", LEADS_OUT),
    ("cat 'src/'../../outside/secret.txt", LEADS_OUT),
    ("cat \\../outside/secret.txt", LEADS_OUT),
    ("cat ~/x", LEADS_OUT),
    ("cat ~root/x", LEADS_OUT),
    ("cat '~/x'", LEADS_OUT),
    ("cat file_out", "a link leads it outside"),
    ("cat dir_out/secret.txt", "a link leads it outside"),
    ("ls dir_out", LEADS_OUT),
    ("ls dir_out/", LEADS_OUT),
    ("ls ..", LEADS_OUT),
    ("ls /", LEADS_OUT),
    ("cat -- /etc/passwd", LEADS_OUT),
    ("cat -n /etc/passwd", LEADS_OUT),
    ("cat a.txt | cat /etc/passwd", LEADS_OUT),
    ("cat " + "../" * 50 + "etc/passwd", LEADS_OUT),
    ("du -s dir_out", LEADS_OUT),
    ("file file_out", LEADS_OUT),
    ("stat ..", LEADS_OUT),
    ("tree /", LEADS_OUT),
    ("head -n1 /etc/passwd", LEADS_OUT),
    ("tail -n 1 /etc/passwd", LEADS_OUT),
    ("sort /etc/passwd", LEADS_OUT),
    ("uniq /etc/passwd", LEADS_OUT),
    ("cut -d: -f1 /etc/passwd", LEADS_OUT),
    ("diff a.txt /etc/passwd", LEADS_OUT),
    ("diff -X/etc/passwd src scripts", LEADS_OUT),
    ("diff --exclude-from=/etc/passwd src scripts", LEADS_OUT),
    ("wc -l file_out", LEADS_OUT),
    ("jq . /etc/x.json", LEADS_OUT),
    ("jq --slurpfile x /etc/x.json . data.json", LEADS_OUT),
    ("jq --rawfile x file_out . data.json", LEADS_OUT),
    ("sed -n p /etc/passwd", LEADS_OUT),
    ("sed -e p /etc/passwd", LEADS_OUT),
    ("grep root /etc/passwd", LEADS_OUT),
    ("grep -e root /etc/passwd", LEADS_OUT),
    ("grep -f /etc/passwd a.txt", LEADS_OUT),
    ("grep -f/etc/passwd a.txt", LEADS_OUT),
    ("grep -nf../outside/secret.txt a.txt", LEADS_OUT),
    ("grep --file=/etc/passwd a.txt", LEADS_OUT),
    ("grep --file /etc/passwd a.txt", LEADS_OUT),
    ("grep -eroot -f file_out a.txt", LEADS_OUT),
    ("rg root /etc", LEADS_OUT),
    ("rg --files /etc", LEADS_OUT),
    ("rg -f/etc/passwd", LEADS_OUT),
    ("find / -name x", LEADS_OUT),
    ("find . .. -name x", LEADS_OUT),
    ("find dir_out/", LEADS_OUT),
    ("find . -newer /etc/passwd", LEADS_OUT),
    ("find . -samefile ../outside/secret.txt", LEADS_OUT),
    # Options that run, write, delete, follow, or wait.
    ("find . -exec rm {} +", RUNS),
    ("find . -execdir rm {} +", RUNS),
    ("find . -ok rm {} +", RUNS),
    ("find . -name a.txt -delete", DELETES),
    ("find . -fprint out", WRITES),
    ("find . -fprintf out %p", WRITES),
    ("find . -fls out", WRITES),
    ("find -L .", LINKS),
    ("find . -follow", LINKS),
    ("find . -files0-from names", "names from a file"),
    ("find . -name x /etc", HARMLESS),
    ("find -D exec .", HARMLESS),
    ("sort -o a.txt a.txt", WRITES),
    ("sort -oa.txt a.txt", WRITES),
    ("sort -uo a.txt a.txt", WRITES),
    ("sort a.txt -o a.txt", WRITES),
    ("sort --output=a.txt a.txt", WRITES),
    ("sort --out=a.txt a.txt", HARMLESS),
    ("sort --compress-program=./git a.txt", RUNS),
    ("sort --compress-prog ./git a.txt", HARMLESS),
    ("sort -T src a.txt", WRITES),
    ("sort --files0-from=names", "names from a file"),
    ("wc --files0-from=names", "names from a file"),
    ("du --files0-from=names", "names from a file"),
    ("file -f names", "names from a file"),
    ("file -z a.txt", RUNS),
    ("file -C -m a.txt", WRITES),
    ("uniq a.txt b.txt", "at most 1 operands"),
    ("uniq -- a.txt b.txt", "at most 1 operands"),
    ("tail -f a.txt", "never ends"),
    ("tail -nf a.txt -F", "never ends"),
    ("tail --follow=name a.txt", "never ends"),
    ("grep -R the .", LINKS),
    ("grep -rnR the .", LINKS),
    ("grep --dereference-recursive the .", LINKS),
    ("grep --deref the .", HARMLESS),
    ("rg -L the", LINKS),
    ("rg --follow the", LINKS),
    ("rg --pre ./git the", RUNS),
    ("rg --pre=./git the", RUNS),
    ("rg --hostname-bin=./git the", RUNS),
    ("rg -z the", RUNS),
    ("ls -lL", LINKS),
    ("ls --dereference", LINKS),
    ("du -L", LINKS),
    ("tree -l", LINKS),
    ("tree -o out", WRITES),
    ("tree -aR", WRITES),
    ("diff -l a.txt a.txt", RUNS),
    ("diff --to-file=/etc/passwd a.txt", HARMLESS),
    ("jq -f names", "cannot be checked"),
    ("jq -nf names", "cannot be checked"),
    ("jq -L /etc .", "another place"),
    ("""jq 'import "x" as $x; .' data.json""", MODULES),
    ("""jq 'include "x" {search: "/etc"}; .' data.json""", MODULES),
    ("""jq 'import # c\n"x" as $x; .' data.json""", MODULES),
    ("""jq -n 'import @text "x" as $x {search: "/etc"}; $x'""", MODULES),
    ("""jq -n ' import@json "x" as $x; $x'""", MODULES),
    ("""jq -n '#c\n\t# "\ninclude @text "x"; .'""", MODULES),
    ("""jq -n 'module {a: 1}; import @text "x" as $x; $x'""", MODULES),
    ("""jq -n '# c \\\n"\nimport @text "x" as $x; "a"'""", MODULES),
    ("""jq -n '# c\r"\nimport @text "x" as $x; "a"'""", MODULES),
    ("""jq -n '"../outside/x" | modulemeta'""", MODULES),
    # sed's script.
    ("sed -i s/one/1/ a.txt", "changes files"),
    ("sed -i.bak s/one/1/ a.txt", "changes files"),
    ("sed -ni p a.txt", "changes files"),
    ("sed -Ei p a.txt", "changes files"),
    ("sed --in-place p a.txt", "changes files"),
    ("sed --in-pl=x p a.txt", HARMLESS),
    ("sed -f names a.txt", "cannot be checked"),
    ("sed 'w out' a.txt", SCRIPT),
    ("sed 1,2w/etc/x a.txt", SCRIPT),
    ("sed 'r /etc/passwd' a.txt", SCRIPT),
    ("sed 'R/etc/passwd' a.txt", SCRIPT),
    ("sed '1e touch ran' a.txt", SCRIPT),
    ("sed e a.txt", SCRIPT),
    ("sed 's/one/touch ran/e' a.txt", SCRIPT),
    ("sed 's/one/1/w out' a.txt", SCRIPT),
    ("sed 's|one|1|gw out' a.txt", SCRIPT),
    ("sed 's/[/]/x/;e touch ran;/' a.txt", SCRIPT),
    ("sed -e p -e 'w out' a.txt", SCRIPT),
    ("sed -ne 'w out' a.txt", SCRIPT),
    ("sed --expression='w out' a.txt", SCRIPT),
    ("sed '$!{w out\n}' a.txt", SCRIPT),
    ("sed 'a x\ne touch ran' a.txt", SCRIPT),
    # git.
    ("git", "no command of git's"),
    ("git -c core.pager=x log", "sets what git runs"),
    ("git -ccore.pager=x log", HARMLESS),
    ("git --config-env=core.pager=X log", "sets what git runs"),
    ("git --exec-path=. log", "sets what git runs"),
    ("git --git-dir=../outside log", "another repository"),
    ("git --work-tree=/ status", "another folder"),
    ("git -C .. log", LEADS_OUT),
    ("git -C / log", LEADS_OUT),
    ("git -C src -C ../.. log", LEADS_OUT),
    ("git -C dir_out log", LEADS_OUT),
    ("git -p log", "pager"),
    ("git config core.pager x", "only what reads"),
    ("git commit -m x", "only what reads"),
    ("git push", "only what reads"),
    ("git fetch --upload-pack=./git", "only what reads"),
    ("git ls-remote --upload-pack=./git .", "only what reads"),
    ("git clone .", "only what reads"),
    ("git checkout .", "only what reads"),
    ("git reset --hard", "only what reads"),
    ("git clean -fd", "only what reads"),
    ("git archive --output=x HEAD", "only what reads"),
    ("git bisect run ./git", "only what reads"),
    ("git !x", "only what reads"),
    ("git diff --output=x", WRITES),
    ("git log --output=x", WRITES),
    ("git log --output x", WRITES),
    ("git show --outp=x", HARMLESS),
    ("git diff --ext-diff", RUNS),
    ("git show --textconv", RUNS),
    ("git log --show-signature", RUNS),
    ("git diff --submodule=diff", HARMLESS),
    ("git status --ignore-submodules=none", HARMLESS),
    ("git diff --no-index a.txt file_out", "outside of the repository"),
    ("git diff /etc/passwd /etc/group", LEADS_OUT),
    ("git diff -U /etc/passwd /etc/group", LEADS_OUT),
    ("git diff --unified /etc/passwd /etc/group", LEADS_OUT),
    ("git diff a.txt ../outside/secret.txt", LEADS_OUT),
    ("git diff -- a.txt /etc/passwd", LEADS_OUT),
    ("git diff -O/etc/passwd", RUNS),
    ("git grep -Ocat the", RUNS),
    ("git grep --open-files-in-pager=./git the", RUNS),
    ("git grep --no-index root /etc", "outside of the repository"),
    ("git grep -f /etc/passwd", "repository's top"),
    ("git grep -nf names", "repository's top"),
    ("git grep the ..", LEADS_OUT),
    ("git blame --contents /etc/passwd a.txt", "any file"),
    ("git blame /etc/passwd", LEADS_OUT),
    ("git ls-files -X /etc/passwd", HARMLESS),
    ("git cat-file --filters HEAD:a.txt", RUNS),
    ("git cat-file --textconv HEAD:a.txt", RUNS),
    ("git branch new", "would change"),
    ("git branch -a new", "would change"),
    ("git branch -D main", DELETES),
    ("git branch -m new", "renames"),
    ("git branch --edit-description", RUNS),
    ("git tag v1", "would change"),
    ("git tag -d v1", DELETES),
    ("git tag -s v1", RUNS),
    ("git remote add x y", "at most 0"),
    ("git remote show x", "at most 0"),
]


def tree(folder: Path) -> dict[str, tuple[int, int, int]]:
    """What lies in a folder: kind, size and time of every entry."""
    found = {}
    for path in sorted(folder.rglob("*")):
        seen = path.lstat()
        found[str(path)] = (seen.st_mode, seen.st_size, seen.st_mtime_ns)
    return found


def test_enough() -> None:
    """The table is long, and says nothing twice."""
    assert len({command for command, _ in COMMANDS}) == len(COMMANDS) >= 80


@all_cases(("command", "why"), COMMANDS, ids=range(len(COMMANDS)))
def test_refused(project: Path, tmp_path: Path, command: str, why: str) -> None:
    """The command is refused for that reason, on one line, and nothing has changed anywhere."""
    before = tree(tmp_path)
    with pytest.raises(ToolRefused, match=why) as refused:
        Shell(project).run(command)
    assert isinstance(refused.value, LoomError)
    assert refused.value.instead
    assert "\n" not in str(refused.value) and len(str(refused.value)) < 900
    assert tree(tmp_path) == before


@all_cases(
    "words",
    [
        [],
        [""],
        ["cat", "/etc/passwd"],
        ["cat", "../outside/secret.txt"],
        ["cat a.txt"],
        ["ls", ";", "/"],
        ["./git", "status"],
        ["sort", "-o", "a.txt"],
        ["cat", "a\0b"],
    ],
)
def test_refused_words(project: Path, tmp_path: Path, words: list[str]) -> None:
    """A sequence is judged as its words, none of which a shell reads."""
    before = tree(tmp_path)
    with pytest.raises(ToolRefused):
        Shell(project).run(words)
    assert tree(tmp_path) == before


@all_cases("cwd", ["..", "/", "~", "dir_out", "a.txt", "nowhere", "src/../.."])
def test_refused_folders(project: Path, cwd: str) -> None:
    """A command starts in a folder of the project that is there."""
    with pytest.raises(ToolRefused):
        Shell(project).run("ls", cwd=cwd)


@all_cases(
    "words",
    [
        ["touch", "/etc/x"],
        ["touch", "--file=../x"],
        ["touch", "-r/etc/passwd"],
        ["touch", "-C.."],
        ["touch", "-abc../x"],
        ["touch", "X=~/y"],
        ["touch", "file_out"],
    ],
)
def test_refused_paths_of_unknown_programs(project: Path, words: list[str]) -> None:
    """Whatever looks like a path must stay in the project, where nothing else is known."""
    with pytest.raises(ToolRefused, match=LEADS_OUT):
        Shell(project, ["touch"]).run(words)


def test_a_program_of_the_project_is_none(project: Path, tmp_path: Path) -> None:
    """`git` and `ls` are never those that lie in the project, even when it is started there."""
    Shell(project).run("ls", cwd=".")
    assert not (tmp_path / "ran").exists()


def test_a_program_that_is_missing(project: Path) -> None:
    """It is named, with those that are there."""
    with pytest.raises(ToolRefused, match=r"not installed.*there are cat"):
        Shell(project, ["cat", "no-such-program"]).run("no-such-program")


def test_no_project(tmp_path: Path) -> None:
    """A shell needs a folder."""
    with pytest.raises(ToolRefused, match="no folder"):
        Shell(tmp_path / "none")


def test_long_commands_are_read_in_one_pass(project: Path) -> None:
    """Words made to confuse a pattern are refused as quickly as others."""
    for script in ("s/a/b/pppp" * 2_000 + "w", "/" * 20_000, "{" * 20_000 + "w", "1," * 9_000):
        with pytest.raises(ToolRefused):
            Shell(project).run(["sed", script, "a.txt"])
    with pytest.raises(ToolRefused):
        Shell(project).run("cat " + "\"'" * 16_000)
