"""A repository whose configuration runs programs or leads out: git does neither."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from loom.capabilities.toolbox import RunLimits, Shell, ToolRefused
from loom.capabilities.toolbox.git import COMMANDS
from tests.kit.cases import all_cases

Git = Callable[..., str]
SECRET = b"the secret"
ASKED = (
    "git status", "git status -vv", "git status --short --ignored", "git diff", "git diff HEAD",
    "git diff --stat --cached", "git diff --raw", "git log -p", "git log -m -p",
    "git log '--format=%G?%aN%(trailers)%(describe)'", "git log --follow -p a.txt", "git show HEAD",
    "git show HEAD:a.txt", "git show -c main", "git blame a.txt", "git blame HEAD -- a.txt",
    "git ls-files -m", "git ls-files -o --exclude-standard", "git ls-files --eol",
    "git ls-tree -r HEAD", "git grep -n two", "git grep --cached two", "git rev-parse HEAD",
    "git merge-base HEAD main",
    "git describe --always", "git cat-file -p HEAD", "git branch -a -vv --list",
    "git tag -l '--format=%(contents)'", "git remote -v",
)  # fmt: skip
FILTER = ("clean", "smudge", "process")
# What is set is so for every command alike: four make use of every kind of driver, two of any one.
TELLING = ("git status -vv", "git log -m -p", "git diff", "git blame a.txt")
# What git says of a key that was set twice, as those are that are switched off.
TWICE = re.compile(rb"(?:error|warning): more than one (?:uploadpack|trailer\.sign\.)[^\n]*\n")


def runner(home: Path, folder: Path) -> Git:
    """What runs the machine's git, whatever it may start, in `folder`."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    given = {"GIT_CONFIG_GLOBAL": "/dev/null", "PATH": os.environ["PATH"], "HOME": str(home)}
    person = {f"GIT_{who}_{what}": "n@example.org" for who in ("AUTHOR", "COMMITTER")
              for what in ("NAME", "EMAIL")}  # fmt: skip

    def running(*words: str, cwd: Path = folder) -> str:
        done = subprocess.run(
            ["git", *words], cwd=cwd, env=given | person, check=True, stdout=subprocess.PIPE
        )
        return done.stdout.decode().strip()

    return running


@pytest.fixture
def git(project: Path, tmp_path: Path) -> Git:
    """The machine's git in the project."""
    return runner(tmp_path, project)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two repositories to be copied: one with a merge in it, one with a secret."""
    at = tmp_path_factory.mktemp("made")
    folder, other = at / "repo", at / "outside"
    (folder / "src").mkdir(parents=True)
    (folder / "a.txt").write_text("one\ntwo\nthree\n")
    (folder / "src" / "b.py").write_text("import os\n\n\ndef two() -> int:\n    return 2\n")
    (folder / "src" / "near").symlink_to("b.py")
    git = runner(at, folder)
    git("init", "-q", "--template=", "-b", "main")
    git("add", "a.txt", "src")
    git("commit", "-q", "-m", "Begin")
    git("checkout", "-q", "-b", "other")
    (folder / "a.txt").write_text("other\ntwo\nthree\n")
    git("commit", "-qam", "Other")
    git("checkout", "-q", "main")
    (folder / "a.txt").write_text("one\ntwo\nthird\n")
    git("commit", "-qam", "Main")
    git("merge", "-q", "other", "-m", "Merge\n\nSigned-off-by: n")
    (other / "d").mkdir(parents=True)
    (other / "d" / "f").write_bytes(SECRET)
    git("init", "-q", "--template=", "-b", "main", cwd=other)
    git("add", ".", cwd=other)
    git("commit", "-qm", SECRET.decode(), cwd=other)
    return at


@pytest.fixture
def repo(project: Path, made: Path) -> Path:
    """The project as a repository with a merge in it, and a change since."""
    shutil.copytree(made / "repo" / ".git", project / ".git")
    (project / "a.txt").write_text("other\ntwo\nthirs\n")
    return project


def configured(repo: Path, keys: Mapping[str, str], file: str = ".git/config") -> None:
    """Set keys as `git config` does, in one go."""
    with (repo / file).open("a", encoding="utf-8") as config:
        for key, value in keys.items():
            section, _, rest = key.partition(".")
            name, _, variable = rest.rpartition(".")
            named, to = (one.replace("\\", r"\\").replace('"', r"\"") for one in (name, value))
            config.write(f'[{section} "{named}"]\n' if name else f"[{section}]\n")
            config.write(f'\t{variable} = "{to}"\n')


def driven(repo: Path, attributes: str, name: str = "odd") -> None:
    """Give every text the driver of a name, in one of the places for it."""
    (repo / attributes).parent.mkdir(exist_ok=True)
    (repo / attributes).write_text(f"*.txt filter={name} diff={name} merge={name}\n")


def ways(marks: Path, name: str = "odd") -> dict[str, str]:
    """Keys that run a program; each would leave a mark of its own."""
    keys = (
        *(f"filter.{name}.{key}" for key in FILTER),
        *(f"diff.{name}.{key}" for key in ("textconv", "command")),
        f"merge.{name}.driver", "diff.external", "core.fsmonitor", "core.pager", "core.editor",
        "core.sshCommand", "core.askPass", "core.gitProxy", "core.alternateRefsCommand",
        "credential.helper", "gpg.program", "gpg.openpgp.program", "gpg.ssh.program",
        "pager.log", "pager.status", "alias.status", "sequence.editor", "interactive.diffFilter",
        "trailer.sign.command", "trailer.sign.cmd", "remote.origin.uploadpack", "hook.x.command",
    )  # fmt: skip
    made = {key: f"touch '{marks}/{number}' #" for number, key in enumerate(keys)}
    return {**made, "alias.status": f"!{made['alias.status']}", "hook.x.event": "post-index-change",
            f"filter.{name}.required": "true", "log.showSignature": "true",
            "log.diffMerges": "remerge", "protocol.allow": "always"}  # fmt: skip


@pytest.fixture
def marks(tmp_path: Path) -> Path:
    """The folder of marks."""
    (tmp_path / "marks").mkdir()
    return tmp_path / "marks"


def ran(marks: Path, name: str = "odd") -> list[str]:
    """The keys whose programs left a mark."""
    keys = list(ways(marks, name))
    found = sorted(path.name for path in marks.iterdir())
    return [keys[int(mark)] if mark.isdigit() else mark for mark in found]


def test_every_command_is_asked() -> None:
    """The commands below are all that are allowed."""
    assert {command.split()[1] for command in ASKED} == set(COMMANDS)


def untold(repo: Path, marks: Path, commands: Sequence[str] = TELLING, name: str = "odd") -> None:
    """Run the commands: each ends well, says nothing of it, and leaves no mark."""
    for command in commands:
        (repo / "a.txt").touch()
        found = Shell(repo).run(command)
        assert (command, ran(marks, name)) == (command, [])
        said = TWICE.sub(b"", found.stderr)
        assert (command, found.exit_code, said) == (command, 0, b"")


@all_cases("where", ["include", "includeIf", "twice", "worktree"])
def test_a_driver_in_another_file(repo: Path, marks: Path, where: str) -> None:
    """What an included file says, or that of one worktree alone, is switched off too."""
    driven(repo, ".gitattributes")
    configured(repo, ways(marks), ".git/config.worktree" if where == "worktree" else "more")
    if where == "worktree":
        configured(repo, {"extensions.worktreeConfig": "true"})
    elif where == "twice":
        configured(repo, {"include.path": "../more"}, "src/first")
        configured(repo, {"include.path": "../src/first"})
    else:
        key = "include.path" if where == "include" else f"includeIf.gitdir:{repo}/.path"
        configured(repo, {key: "../more"})
    untold(repo, marks, TELLING[:2])


def test_a_pipeline_and_a_folder_below(repo: Path, git: Git, marks: Path) -> None:
    """Each git of a pipeline is held, in the repository it is started in."""
    inner = repo / "inner"
    inner.mkdir()
    git("init", "-q", cwd=inner)
    (inner / "b.txt").write_text("one\n")
    git("add", "b.txt", cwd=inner)
    for folder in (repo, inner):
        driven(folder, ".gitattributes")
        configured(folder, ways(marks))
        next(folder.glob("*.txt")).touch()
    (repo / "a.txt").touch()
    Shell(repo).run("git -C inner status | git diff | cat")
    Shell(repo).run("git diff", cwd="inner")
    assert ran(marks) == []


# What leads out


@pytest.fixture
def outside(repo: Path, made: Path) -> Path:
    """A repository outside of the project, with a secret in it."""
    return shutil.copytree(made / "outside", repo.parent / "outside", dirs_exist_ok=True)


def gitfile(repo: Path, outside: Path, git: Git) -> None:
    """A `.git` file that names a repository outside."""
    shutil.rmtree(repo / ".git")
    (repo / ".git").write_text(f"gitdir: {outside}/.git\n")


def gitfile_up(repo: Path, outside: Path, git: Git) -> None:
    """A relative one."""
    shutil.rmtree(repo / ".git")
    (repo / ".git").write_text("gitdir: ../outside/.git")


def gitlink(repo: Path, outside: Path, git: Git) -> None:
    """A `.git` that is a link."""
    shutil.rmtree(repo / ".git")
    (repo / ".git").symlink_to(outside / ".git")


def commondir(repo: Path, outside: Path, git: Git) -> None:
    """A repository that shares the objects and references of another."""
    (repo / ".git" / "commondir").write_text(f"{outside}/.git\n")


def alternates(repo: Path, outside: Path, git: Git) -> None:
    """A store of objects beside its own."""
    (repo / ".git" / "objects" / "info" / "alternates").write_text(
        f"# others\n{outside}/.git/objects\n"
    )


def alternates_up(repo: Path, outside: Path, git: Git) -> None:
    """One of a store inside, which is relative."""
    (repo / "store" / "info").mkdir(parents=True)
    (repo / "store" / "info" / "alternates").write_text("../../outside/.git/objects\n")
    (repo / ".git" / "objects" / "info" / "alternates").write_text("../../store\n")


def alternates_quoted(repo: Path, outside: Path, git: Git) -> None:
    """One in quotes."""
    (repo / ".git" / "objects" / "info" / "alternates").write_text(f'"{outside}/.git/objects"\n')


def worktree(repo: Path, outside: Path, git: Git) -> None:
    """A working tree elsewhere."""
    git("config", "core.worktree", str(outside))


def included(repo: Path, outside: Path, git: Git) -> None:
    """An included file."""
    git("config", "include.path", str(outside / "secret.txt"))


def included_home(repo: Path, outside: Path, git: Git) -> None:
    """One in the home folder."""
    git("config", "include.path", "~/secret.txt")


def included_with_git(repo: Path, outside: Path, git: Git) -> None:
    """One that was installed with git."""
    git("config", "include.path", "%(prefix)/etc/gitconfig")


def included_if(repo: Path, outside: Path, git: Git) -> None:
    """One under a condition."""
    git("config", "includeIf.onbranch:main.path", str(outside / "secret.txt"))


def included_by_link(repo: Path, outside: Path, git: Git) -> None:
    """One that is a link."""
    git("config", "include.path", "../file_out")


def ignored_revisions(repo: Path, outside: Path, git: Git) -> None:
    """A file whose lines blame would tell as names it does not know."""
    git("config", "blame.ignoreRevsFile", str(outside / "secret.txt"))


def ignored_maybe(repo: Path, outside: Path, git: Git) -> None:
    """One that newer versions need not have."""
    git("config", "blame.ignoreRevsFile", f":(optional){outside}/secret.txt")


def linked_objects(repo: Path, outside: Path, git: Git) -> None:
    """A folder of objects that is a link."""
    shutil.rmtree(repo / ".git" / "objects")
    (repo / ".git" / "objects").symlink_to(outside / ".git" / "objects")


def linked_twice(repo: Path, outside: Path, git: Git) -> None:
    """A link to a place inside, in which there is a link out."""
    (repo / ".git" / "logs").rename(repo / "kept")
    (repo / ".git" / "logs").symlink_to("../kept")
    (repo / "kept" / "HEAD").unlink()
    (repo / "kept" / "HEAD").symlink_to(outside / ".git" / "logs" / "HEAD")


def linked_list(repo: Path, outside: Path, git: Git) -> None:
    """A list of what a rebase has done, which status shows."""
    (repo / ".git" / "rebase-merge").mkdir()
    (repo / ".git" / "rebase-merge" / "interactive").touch()
    (repo / ".git" / "rebase-merge" / "git-rebase-todo").symlink_to(outside / "secret.txt")
    (repo / ".git" / "rebase-merge" / "done").symlink_to(outside / "secret.txt")


def linked_config(repo: Path, outside: Path, git: Git) -> None:
    """A configuration that is a link."""
    (repo / ".git" / "config").unlink()
    (repo / ".git" / "config").symlink_to(outside / ".git" / "config")


def tracked(repo: Path, outside: Path, git: Git) -> None:
    """A folder that is tracked as one, and has become a link."""
    (repo / "d").mkdir()
    (repo / "d" / "f").write_text("mine")
    git("add", "d")
    shutil.rmtree(repo / "d")
    (repo / "d").symlink_to(outside / "d")


def submodule(repo: Path, outside: Path, git: Git) -> None:
    """A submodule whose repository is elsewhere."""
    (repo / "sub").mkdir()
    git("update-index", "--add", "--cacheinfo", f"160000,{git('rev-parse', 'HEAD')},sub")
    (repo / "sub" / ".git").write_text(f"gitdir: {outside}/.git\n")


LEADING: dict[Callable[[Path, Path, Git], None], str] = {
    **dict.fromkeys(
        (gitfile, gitfile_up, gitlink, commondir, alternates, alternates_up, alternates_quoted,
         worktree, included, included_home, included_with_git, included_if, included_by_link,
         linked_objects, linked_twice, linked_config), "git log -g"),
    **dict.fromkeys((ignored_revisions, ignored_maybe), "git blame a.txt"),
    linked_list: "git status",
    tracked: "git grep secret",
    submodule: "git diff",
}  # fmt: skip


@all_cases(("lead", "command"), list(LEADING.items()))
def test_what_leads_out_is_refused(
    repo: Path, outside: Path, git: Git, lead: Callable[..., None], command: str
) -> None:
    """The error says what leads out, and what to do; from a folder below as well."""
    lead(repo, outside, git)
    for cwd in (".", "src"):
        with pytest.raises(ToolRefused, match=r"^refused .*git.*(outside|cannot be checked).*; ."):
            Shell(repo).run(command, cwd=cwd)


def test_a_submodule_that_leads_out(repo: Path, outside: Path, git: Git) -> None:
    """Nor is it looked into when git is started there."""
    submodule(repo, outside, git)
    with pytest.raises(ToolRefused, match="outside"):
        Shell(repo).run("git -C sub log")
    with pytest.raises(ToolRefused, match="outside"):
        Shell(repo).run("git log", cwd="sub")


def test_what_stays_inside_is_run(repo: Path, git: Git, tmp_path: Path) -> None:
    """A worktree, a submodule, an alternate store, an included file: all in the project."""
    git("worktree", "add", "-q", str(repo / "tree"), "other")
    (repo / ".git" / "modules").mkdir()
    git("init", "-q", "--separate-git-dir", str(repo / ".git" / "modules" / "sub"), "sub")
    git("config", "core.worktree", "../../../sub", cwd=repo / "sub")
    git("commit", "-q", "--allow-empty", "-m", "In sub", cwd=repo / "sub")
    git("add", "sub")
    (repo / "store" / "info").mkdir(parents=True)
    (repo / ".git" / "objects" / "info" / "alternates").write_text("../../store\n")
    (repo / "more").write_text("[core]\n\tabbrev = 12\n")
    (repo / "old").write_text("")
    git("config", "include.path", "../more")
    git("config", "core.worktree", "..")
    git("config", "blame.ignoreRevsFile", "old")
    git("config", "core.excludesFile", str(tmp_path / "outside" / "secret.txt"))
    git("config", "mailmap.file", str(tmp_path / "outside" / "secret.txt"))
    shell = Shell(repo)
    for command in (*TELLING, "git grep -n two", "git ls-files -m", "git ls-files -o"):
        found = shell.run(command)
        assert (command, found.exit_code, found.stderr) == (command, 0, b"")
    assert shell.run("git log -1 --format=%s", cwd="tree").stdout == b"Other\n"
    assert shell.run("git -C sub log --format=%s").stdout == b"In sub\n"


def test_a_bare_repository_and_the_folder_of_one(repo: Path, git: Git) -> None:
    """Git is not started where it would have to say itself which files are meant."""
    git("clone", "-q", "--bare", ".", "bare")
    for cwd in ("bare", "bare/refs", ".git", ".git/refs"):
        with pytest.raises(ToolRefused, match=r"git folder itself.*; ."):
            Shell(repo).run("git log", cwd=cwd)


def test_a_configuration_that_cannot_be_read(repo: Path) -> None:
    """What git does not read is refused: it cannot be checked."""
    with (repo / ".git" / "config").open("a") as config:
        config.write("[broken\n")
    with pytest.raises(ToolRefused, match="cannot be checked"):
        Shell(repo).run("git status")
    (repo / ".git" / "config").unlink()
    os.mkfifo(repo / ".git" / "config")
    with pytest.raises(ToolRefused, match="cannot be checked"):
        Shell(repo).run("git status")


# Where git opens a file


def test_a_working_tree_elsewhere(repo: Path, outside: Path, git: Git) -> None:
    """A repository is for the folder it lies in, and refused where it says otherwise."""
    tracked(repo, outside, git)
    (repo / "d").unlink()
    for folder, other in ((repo, "sub"), (repo / "app", "wt")):
        (folder / "d").mkdir(parents=True)
        (folder / "d" / "f").write_text("mine")
        if folder != repo:
            shutil.copytree(repo / ".git", folder / ".git")
        (repo / other).mkdir()
        (repo / other / "d").symlink_to(outside / "d")
        git("config", "core.worktree", str(repo / other), cwd=folder)
    asked = ("blame d/f", "blame -L1,2 -- d/f", "blame --porcelain d/f", "status", "log")
    for command in asked:
        for shown, cwd in ((f"git {command}", "."), (f"git {command}", "app"),
                           (f"git -C ../app {command}", "src")):  # fmt: skip
            with pytest.raises(ToolRefused, match=r"core\.worktree.*; open the project"):
                Shell(repo).run(shown, cwd=cwd)


def test_paths_further_up(repo: Path) -> None:
    """What goes up from a folder and stays in the project is no less allowed for that."""
    found = Shell(repo).run("git diff --stat HEAD -- ../a.txt ':!../src' ':/data.json'", cwd="src")
    assert found.stdout.startswith(b" a.txt |")


def test_what_git_would_find_further_up(tmp_path: Path, git: Git) -> None:
    """Where the project holds no repository none is taken, whatever its folder is called."""
    above = tmp_path / "x:y"
    project = above / "z"
    (project / "src").mkdir(parents=True)
    git("init", "-q", "-b", "main", cwd=above)
    git("commit", "-q", "--allow-empty", "-m", SECRET.decode(), cwd=above)
    for cwd in (".", "src"):
        with pytest.raises(ToolRefused, match=r"no repository.*; ."):
            Shell(project).run("git log", cwd=cwd)
    (project / ".git").mkdir()
    for cwd in (".", "src"):
        found = Shell(project).run("git log", cwd=cwd)
        assert found.exit_code == 128 and SECRET not in found.stdout
    git("init", "-q", "-b", "main", cwd=project)
    git("commit", "-q", "--allow-empty", "-m", "Mine", cwd=project)
    assert Shell(project).run("git log --format=%s", cwd="src").stdout == b"Mine\n"


WAITING = (".git/objects/info/alternates", ".git/commondir", ".git/HEAD", ".git/index", ".git",
           ".git/info/exclude", ".git/refs/heads/main", ".git/rebase-merge/done",
           "kept/sub/HEAD")  # fmt: skip


@all_cases("linked", [False, True])
@all_cases("name", WAITING)
def test_nothing_makes_git_wait(repo: Path, git: Git, name: str, linked: bool) -> None:
    """A pipe that git would wait at is refused at once, one behind a link as well."""
    at = repo / name
    if name.startswith("kept"):
        at.parent.parent.mkdir()
        git("init", "-q", "--separate-git-dir", str(at.parent), "sub")
        git("update-index", "--add", "--cacheinfo", f"160000,{git('rev-parse', 'HEAD')},sub")
    if at.is_dir():
        shutil.rmtree(at)
    at.unlink(missing_ok=True)
    at.parent.mkdir(exist_ok=True)
    os.mkfifo(repo / "pipe" if linked else at)
    if linked:
        at.symlink_to(repo / "pipe")
    with pytest.raises(ToolRefused, match=r"cannot be checked \(no plain file"):
        Shell(repo, limits=RunLimits(seconds=5)).run("git status")


def test_a_socket_is_no_pipe(repo: Path) -> None:
    """What git's own watcher listens at is there, and cannot be waited at."""
    here = Path.cwd()
    with socket.socket(socket.AF_UNIX) as made:
        os.chdir(repo / ".git")  # a socket's path is short
        try:
            made.bind("fsmonitor--daemon.ipc")
        finally:
            os.chdir(here)
    assert Shell(repo).run("git status").exit_code == 0
