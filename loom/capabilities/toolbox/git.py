"""The git commands that only read, and the options each may be given.

The repository's own configuration is the project's and is read, so what can start programs from it
is switched off: by the environment, and by options put before those given. What has a name of its
own there, as drivers have, is found by `loom.capabilities.toolbox.repository`.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from loom.capabilities.toolbox.errors import ToolRefused
from loom.capabilities.toolbox.grammar import NAME, TEXT, Program
from loom.capabilities.toolbox.paths import inside
from loom.lazy import lazy_re

# What every diff can be given: git-diff(1), less what reads or writes files and starts programs.
_DIFF = (
    "patch no-patch raw stat numstat shortstat dirstat summary patch-with-stat name-only"
    " name-status color no-color word-diff color-words no-renames rename-empty check full-index"
    " abbrev find-renames find-copies find-copies-harder irreversible-delete pickaxe-all"
    " pickaxe-regex ignore-space-at-eol ignore-space-change ignore-all-space ignore-blank-lines"
    " function-context exit-code quiet text minimal patience histogram no-prefix compact-summary"
    " unified relative no-relative ita-invisible-in-index"
)
_DIFF_TEXTS = "diff-filter diff-algorithm inter-hunk-context src-prefix dst-prefix stat-width"
_LOG = (
    " oneline graph decorate no-decorate all branches tags remotes merges no-merges first-parent"
    " follow reverse topo-order date-order author-date-order abbrev-commit no-abbrev-commit"
    " full-history simplify-merges ancestry-path cherry cherry-pick left-right left-only right-only"
    " walk-reflogs source full-diff log-size invert-grep all-match regexp-ignore-case"
    " extended-regexp fixed-strings perl-regexp pretty cc boundary no-notes relative-date parents"
    " children show-pulls format min-parents max-parents encoding"
)
_LOG_TEXTS = " max-count skip since after until before author committer grep date glob exclude"
_READS = ("--no-ext-diff", "--no-textconv")
_ABOVE = "--ignore-submodules=dirty"  # git in a submodule would forget what `environment` sets
_REFUSED = {
    "--output": "it writes a file",
    "--ext-diff": "it runs a program",
    "--textconv": "it runs a program",
    "--no-index": "it compares files outside of the repository",
    "--open-files-in-pager": "it runs a program",
    "-O": "it runs a program, or reads a file of orders",
    "--show-signature": "it runs a program",
    "--contents": "it reads any file",
    "--filters": "it runs a program",
    "--exec": "it runs a program",
    "--upload-pack": "it runs a program",
}
_CHANGES = {
    **dict.fromkeys(("-d", "-D", "--delete"), "it deletes"),
    **dict.fromkeys(("-m", "-M", "--move", "-c", "-C", "--copy"), "it renames or copies"),
    **dict.fromkeys(("-f", "--force", "-u", "--set-upstream-to"), "it changes what is there"),
    **dict.fromkeys(("-s", "--sign", "--edit-description"), "it runs a program"),
}


def _git(*always: str, **options: Any) -> Program:
    given = {"refused": _REFUSED, "numbers": True, **options}
    return Program(operands=NAME, always=always, **given)


_history = _git(
    *_READS,
    flags="pusziEFPgcmwbRaWtr",
    optional="MCBU",
    texts="nSGLl",
    long=_DIFF + _LOG,
    long_texts=_DIFF_TEXTS + _LOG_TEXTS,
)
# A value that git takes only attached, or may do without, stands in `long` or `optional`: read as
# one that stands apart, it would hide the path behind it.
COMMANDS: dict[str, Program] = {
    "status": _git(
        _ABOVE,
        flags="sbvz",
        optional="u",
        long="short branch porcelain long verbose untracked-files ignored show-stash ahead-behind"
        " no-ahead-behind no-renames column no-column",
    ),
    "log": _history,
    "show": _history,
    "diff": _git(
        *_READS,
        _ABOVE,
        flags="puszwbRaWtr",
        optional="MCBU",
        texts="SGl",
        long=f"{_DIFF} cached staged merge-base",
        long_texts=_DIFF_TEXTS,
    ),
    "blame": _git(
        "--no-textconv",
        flags="wcefnslbtp",
        optional="MC",
        texts="L",
        long="porcelain line-porcelain incremental show-email show-name show-number root"
        " show-stats abbrev color-lines",
        long_texts="since date ignore-rev",
    ),
    "ls-files": _git(
        flags="cdmosutkvz",
        texts="x",
        long="cached deleted modified others stage unmerged directory no-empty-directory"
        " exclude-standard full-name error-unmatch ignored eol abbrev deduplicate killed",
        long_texts="exclude",
    ),
    "ls-tree": _git(
        flags="drtlz", long="name-only name-status long full-name full-tree abbrev object-only"
    ),
    "grep": _git(
        "--no-textconv",
        first=TEXT,
        refused={**_REFUSED, "-f": "it opens a file from the repository's top, not from here"},
        instead=frozenset({"-e"}),
        flags="ivwcnlLhHEFGPaIopqWz",
        texts="eABCm",
        long="ignore-case invert-match word-regexp count line-number files-with-matches name-only"
        " files-without-match extended-regexp basic-regexp fixed-strings perl-regexp text"
        " only-matching show-function quiet function-context null heading break column full-name"
        " cached untracked color no-color and or not all-match recursive no-recursive",
        long_texts="after-context before-context context max-count max-depth threads",
    ),
    "rev-parse": _git(
        flags="q",
        long="show-toplevel git-dir is-inside-work-tree is-inside-git-dir is-bare-repository"
        " abbrev-ref short verify symbolic symbolic-full-name show-prefix show-cdup all branches"
        " tags remotes quiet is-shallow-repository",
    ),
    "merge-base": _git(flags="a", long="all octopus independent is-ancestor fork-point"),
    "describe": _git(
        long="tags all always abbrev long exact-match contains first-parent",
        long_texts="match exclude candidates",
    ),
    "cat-file": _git(flags="tspe"),
    "branch": _git(
        lists=frozenset({"--list"}),
        refused=_CHANGES,
        flags="arvi",
        long="list all remotes verbose show-current no-color color ignore-case column no-column",
        long_texts="sort format contains no-contains merged no-merged points-at",
    ),
    "tag": _git(
        lists=frozenset({"-l", "--list"}),
        refused=_CHANGES,
        flags="l",
        optional="n",
        long="list ignore-case column no-column",
        long_texts="sort format contains no-contains merged no-merged points-at",
    ),
    "remote": _git(most=0, flags="v", long="verbose"),
}
LOOKS = frozenset({"status", "diff", "grep"})  # these look at the files of the working tree
THROUGH = frozenset({"grep"})  # and this at files behind a link in place of a folder
GLOBAL = ("--no-pager", "--no-optional-locks", "--literal-pathspecs")
_MAGIC = lazy_re(r":(?:\([^)]*\)|[/!^]*:?)")  # before a path: gitglossary(7), pathspec
_TOP = ("/", "top", "prefix")  # in what stands there: the path is from the top
_BEFORE = {
    "-c": "it sets what git runs",
    "--config-env": "it sets what git runs",
    "--exec-path": "it sets what git runs",
    "--git-dir": "it leads to another repository",
    "--work-tree": "it leads to another folder",
    "-p": "it runs a pager",
    "--paginate": "it runs a pager",
}


def split(words: Sequence[str], base: Path, root: Path) -> tuple[list[str], str, list[str], Path]:
    """(what stands before the command, the command, what follows, the folder it starts in).

    Raises ToolRefused for another option there than GLOBAL and `-C` within `root`.
    """
    before: list[str] = []
    rest = list(words)
    while rest and rest[0].startswith("-"):
        option = rest.pop(0)
        if option == "-C" and rest:
            base = inside(rest[0], base, root)
            before += [option, rest.pop(0)]
        elif option in GLOBAL:
            before.append(option)
        else:
            name = option.partition("=")[0]
            why = _BEFORE.get(name, "not among the options known to be harmless")
            raise ToolRefused(f"git {option}", why, "leave it out")
    command = rest[0] if rest else ""
    if command not in COMMANDS:
        why = "only what reads a repository is run" if command else "no command of git's is named"
        raise ToolRefused(f"git {command}", why, f"there are {', '.join(COMMANDS)}")
    return before, command, rest[1:], base


def told(place: Path, tree: Path) -> tuple[str, str]:
    """The options that name a git folder and the folder it is for, so that git looks for none."""
    return f"--git-dir={place}", f"--work-tree={tree}"


def check_operand(operand: str, base: Path, tree: Path, root: Path) -> None:
    """Refuse an operand that as git reads it leads outside `root`.

    Git takes `..` off the text, not off where links lead, and some paths from the top of `tree`.
    """
    found = _MAGIC.match(operand)
    magic = found[0] if found else ""
    top = tree if any(one in magic for one in _TOP) else base
    inside(os.path.normpath(operand[len(magic) :]), top, root)


# What is set whether a repository says otherwise or not: first what runs programs, then what reads
# files of any place, then what looks into submodules or writes.
SETTINGS = {
    "core.fsmonitor": "false",
    "core.hooksPath": "/dev/null",
    "core.pager": "cat",
    **dict.fromkeys(
        ("core.sshCommand", "core.askPass", "core.gitProxy", "core.editor", "sequence.editor"),
        "false",
    ),
    **dict.fromkeys(
        ("core.alternateRefsCommand", "diff.external", "interactive.diffFilter"), "false"
    ),
    **{f"gpg.{kind}program": "false" for kind in ("", "openpgp.", "x509.", "ssh.")},
    "log.showSignature": "false",
    "log.diffMerges": "separate",  # remerge runs merge drivers
    "credential.helper": "",
    "protocol.allow": "never",
    **dict.fromkeys(
        ("core.attributesFile", "core.excludesFile", "mailmap.file", "diff.orderFile"), "/dev/null"
    ),
    "safe.bareRepository": "explicit",
    "submodule.recurse": "false",
    "diff.submodule": "short",
    "status.submoduleSummary": "false",
    "diff.autoRefreshIndex": "false",
}


def environment(root: Path, more: Mapping[str, str] = {}) -> dict[str, str]:
    """Variables that keep git in the project, off the network, and from starting programs.

    `more` are settings beside SETTINGS.
    """
    settings = {**more, **SETTINGS}
    set_to = {"GIT_CONFIG_COUNT": str(len(settings))}
    for at, (name, value) in enumerate(settings.items()):
        set_to |= {f"GIT_CONFIG_KEY_{at}": name, f"GIT_CONFIG_VALUE_{at}": value}
    return {
        # For a git that another program starts: those of this library look for no repository.
        "GIT_CEILING_DIRECTORIES": str(root.parent),
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_ATTR_NOSYSTEM": "1",
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_ALLOW_PROTOCOL": "none",
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_PAGER": "cat",
        "GIT_EDITOR": "false",
        **set_to,
    }
