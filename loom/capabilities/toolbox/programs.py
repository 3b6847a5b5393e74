"""The shell utilities that only read, and the options each may be given.

From the manuals of GNU coreutils, findutils, diffutils, grep and sed, and of ripgrep, jq, file and
tree. What is missing is missing on purpose when it writes (`sort -o`), runs programs
(`rg --pre`), follows links (`grep -R`), takes names from a file (`wc --files0-from`) or never ends
(`tail -f`); the rest may be added when somebody needs it.
"""

from __future__ import annotations

import re

from loom.capabilities.toolbox.errors import ToolRefused
from loom.capabilities.toolbox.grammar import PATH, SCRIPT, TEXT, Program
from loom.lazy import lazy_re

_LINKS = "it follows links, which may lead out of the project"
_NAMES = "it reads names from a file, where they cannot be checked"
_RUNS = "it runs a program"
_WRITES = "it writes a file"
_ENDLESS = "it waits for more, and never ends"
_FOLLOWS = dict.fromkeys(("-L", "-H", "--dereference", "--dereference-args"), _LINKS)

# sed(1). Left out is what writes files (w, W, s///w), reads them (r, R), runs commands (e, s///e),
# and text that goes to the end of a line (a, i, c), where the next command could hide.
_PATTERN = r"/(?:\\.|[^/\\\n])*+/[IM]*+"
_ADDRESS = rf"(?:\d++(?:~\d++)?+|\$|{_PATTERN})"
_RANGE = rf"{_ADDRESS}(?:\s*+,\s*+(?:{_ADDRESS}|[+~]\d++))?+\s*+(?:!\s*+)?+"
_EACH = r"(?:\\.|(?!(?P=by))[^\\])*+(?P=by)"
_COMMAND = (
    r"(?:[pdDPnNgGhHxlz=]|[qQ]\s*+\d*+|:\s*+\w++|[bTt][ \t]*+\w*+"
    rf"|s(?P<by>[^\w\s\\;{{}}]){_EACH}{_EACH}[gpiImM0-9]*+"
    r"|y/(?:\\.|[^/\\])*+/(?:\\.|[^/\\])*+/)"
)
_SED = lazy_re(rf"(?:[\s;{{}}]++|(?:{_RANGE})?+(?:{_COMMAND}|(?={{)))*+", re.DOTALL)
# jq finds modules by a path of their own, outside of the project too. They are named before all
# else in a program, so its first word tells. Versions differ in where a comment with a backslash or
# a carriage return in it ends, so what follows one before that word is not known.
_JQ = lazy_re(r"(?:\s|#[^\n\r\\]*+(?:\r?\n|\Z))*+(?:#|(?:module|import|include)\b)")


def _sed_script(script: str) -> None:
    """Refuse a script that could do more than print and replace."""
    if not _SED.fullmatch(script):
        raise ToolRefused(
            f"sed {script}",
            "only scripts of p, P, d, D, q, Q, n, N, g, G, h, H, x, z, l, =, y, labels and"
            " s with the flags g, p, i, m and a number are run",
            "others may write files or run commands: print here, and edit with your own tool",
        )


def _jq_program(script: str) -> None:
    """Refuse a program that loads others."""
    if _JQ.match(script) or "modulemeta" in script:
        raise ToolRefused(
            f"jq {script}", "it reads modules from other places", "write it out in full"
        )


PROGRAMS: dict[str, Program] = {
    "cat": Program(
        flags="AbeEnstTuv",
        long="show-all number-nonblank show-ends number squeeze-blank show-tabs show-nonprinting",
    ),
    "head": Program(
        flags="qvz",
        texts="nc",
        long="quiet silent verbose zero-terminated",
        long_texts="lines bytes",
        numbers=True,
    ),
    "tail": Program(
        flags="qvz",
        texts="nc",
        long="quiet silent verbose zero-terminated",
        long_texts="lines bytes",
        numbers=True,
        refused=dict.fromkeys(("-f", "-F", "--follow", "--retry", "--pid"), _ENDLESS),
    ),
    "wc": Program(
        flags="cmlLw",
        long="bytes chars lines max-line-length words",
        refused={"--files0-from": _NAMES},
    ),
    "grep": Program(
        flags="EFGPivwxycLlqsbHhnTZzraoI",
        texts="eABCm",
        paths="f",
        long="extended-regexp fixed-strings basic-regexp perl-regexp ignore-case no-ignore-case"
        " invert-match word-regexp line-regexp count color colour files-without-match"
        " files-with-matches only-matching quiet silent no-messages byte-offset with-filename"
        " no-filename initial-tab null null-data line-number text recursive line-buffered",
        long_texts="regexp after-context before-context context max-count include exclude"
        " exclude-dir label binary-files group-separator",
        long_paths="file exclude-from",
        first=TEXT,
        instead=frozenset({"-e", "-f", "--regexp", "--file"}),
        numbers=True,
        refused=dict.fromkeys(("-R", "--dereference-recursive"), f"{_LINKS}: -r does not"),
    ),
    "rg": Program(
        flags="ivwxclnNHIhFPSsuUap0o",
        texts="egtTABCmMjdEr",
        paths="f",
        long="ignore-case invert-match word-regexp line-regexp count count-matches column"
        " files-with-matches files-without-match only-matching quiet line-number no-line-number"
        " with-filename no-filename fixed-strings pcre2 smart-case case-sensitive multiline"
        " multiline-dotall text null pretty heading no-heading hidden no-ignore no-ignore-vcs files"
        " json stats vimgrep trim type-list no-messages unrestricted passthru",
        long_texts="regexp glob iglob type type-not after-context before-context context max-count"
        " max-columns max-depth max-filesize encoding replace sort sortr threads color"
        " context-separator",
        long_paths="file",
        first=TEXT,
        instead=frozenset({"-e", "-f", "--regexp", "--file", "--files", "--type-list"}),
        always=("--no-config",),
        refused={
            **dict.fromkeys(("--pre", "--hostname-bin", "-z", "--search-zip"), _RUNS),
            **dict.fromkeys(("-L", "--follow"), _LINKS),
        },
    ),
    "ls": Program(
        flags="aAbBcCdFgGhiklmnNopqQrRsStuUvxX1Z",
        texts="ITw",
        long="all almost-all author escape ignore-backups directory classify file-type"
        " group-directories-first no-group human-readable si inode kibibytes numeric-uid-gid"
        " literal quote-name reverse recursive size color full-time",
        long_texts="block-size format hide indicator-style ignore quoting-style sort time"
        " time-style tabsize width",
        refused=_FOLLOWS,
    ),
    "sort": Program(
        flags="bdfgiMhnRrVcCmsuz",
        texts="ktS",
        long="ignore-leading-blanks dictionary-order ignore-case general-numeric-sort"
        " ignore-nonprinting month-sort human-numeric-sort numeric-sort random-sort reverse"
        " version-sort check merge stable unique zero-terminated debug",
        long_texts="key field-separator sort buffer-size parallel",
        refused={
            **dict.fromkeys(("-o", "--output", "-T", "--temporary-directory"), _WRITES),
            "--compress-program": _RUNS,
            "--files0-from": _NAMES,
        },
    ),
    "uniq": Program(
        flags="cdDiuz",
        texts="fsw",
        long="count repeated all-repeated ignore-case unique zero-terminated group",
        long_texts="skip-fields skip-chars check-chars",
        most=1,  # the second is the file it writes
    ),
    "cut": Program(
        flags="nsz",
        texts="bcdf",
        long="complement only-delimited zero-terminated",
        long_texts="bytes characters delimiter fields output-delimiter",
    ),
    "jq": Program(
        flags="rcnseSCMajR",
        long="raw-output compact-output null-input slurp exit-status sort-keys color-output"
        " monochrome-output ascii-output join-output raw-input tab seq stream",
        long_texts="indent",
        pairs={
            **dict.fromkeys(("--arg", "--argjson"), (TEXT, TEXT)),
            **dict.fromkeys(("--slurpfile", "--rawfile"), (TEXT, PATH)),
        },
        first=SCRIPT,
        check=_jq_program,
        refused={
            **dict.fromkeys(("-f", "--from-file"), "a program in a file cannot be checked"),
            **dict.fromkeys(("-L", "--library-path"), "it loads programs from another place"),
        },
    ),
    "sed": Program(
        flags="nErsuz",
        texts="l",
        long="quiet silent regexp-extended separate unbuffered null-data posix",
        long_texts="line-length",
        scripts="-e --expression",
        first=SCRIPT,
        instead=frozenset({"-e", "--expression"}),
        always=("--sandbox",),  # GNU's own refusal of e, r and w, should a script slip through
        check=_sed_script,
        refused={
            **dict.fromkeys(("-i", "--in-place"), "it changes files"),
            **dict.fromkeys(("-f", "--file"), "a script in a file cannot be checked"),
        },
    ),
    "diff": Program(
        flags="qsycpuNribwBaEZtTde",
        texts="UCWIxF",
        paths="X",
        long="brief report-identical-files side-by-side unified context recursive new-file"
        " ignore-case ignore-all-space ignore-space-change ignore-blank-lines text minimal"
        " ignore-trailing-space ignore-tab-expansion suppress-common-lines color strip-trailing-cr"
        " expand-tabs speed-large-files no-dereference normal show-c-function",
        long_texts="label width ignore-matching-lines exclude show-function-line tabsize",
        long_paths="exclude-from",
        always=("--no-dereference",),  # without it, folders are compared through the links in them
        refused=dict.fromkeys(("-l", "--paginate"), _RUNS),
    ),
    "file": Program(
        flags="bikhrN0",
        texts="F",
        long="brief mime mime-type mime-encoding keep-going no-dereference raw no-pad extension",
        refused={
            **dict.fromkeys(("-z", "-Z", "--uncompress"), _RUNS),
            **dict.fromkeys(("-f", "--files-from"), _NAMES),
            **dict.fromkeys(("-C", "--compile"), _WRITES),
        },
    ),
    "stat": Program(
        flags="Lft", texts="c", long="dereference file-system terse", long_texts="format printf"
    ),
    "tree": Program(
        flags="adfisugpDhNQqCnASJXrtcUvx",
        texts="LIP",
        long="dirsfirst noreport prune matchdirs gitignore du si inodes device",
        long_texts="filelimit charset sort timefmt",
        refused={
            **dict.fromkeys(("-o", "-R", "--output"), _WRITES),
            "-l": _LINKS,
            "--fromfile": _NAMES,
        },
    ),
    "du": Program(
        flags="0abchkmsSxlP",
        texts="dBt",
        long="all apparent-size bytes total human-readable si summarize separate-dirs null"
        " one-file-system count-links time inodes",
        long_texts="max-depth block-size exclude threshold time-style",
        refused={
            **dict.fromkeys(("-L", "-D", "-H", "--dereference", "--dereference-args"), _LINKS),
            **dict.fromkeys(("--files0-from", "-X", "--exclude-from"), _NAMES),
        },
    ),
}
# What is often asked for and is not here → what to do instead.
ELSEWHERE = {
    **dict.fromkeys(
        ("python", "python3", "perl", "ruby", "node", "awk", "gawk"),
        "write a script in the project's folder of scripts and run that, or use cut, sed and jq",
    ),
    **dict.fromkeys(
        ("sh", "bash", "zsh", "env", "xargs", "eval", "exec", "sudo", "time", "timeout", "nohup"),
        "name the program itself: no shell is started, and no program starts another",
    ),
    **dict.fromkeys(
        ("rm", "mv", "cp", "mkdir", "touch", "tee", "chmod", "ln", "dd", "truncate", "patch"),
        "utilities only read here: change files with your own tool",
    ),
    **dict.fromkeys(("curl", "wget", "ssh", "nc"), "nothing here reaches the network"),
    **dict.fromkeys(("cd", "pushd", "export"), "give the folder as cwd"),
    **dict.fromkeys(("echo", "printf"), "give the text as stdin"),
    **dict.fromkeys(("more", "less"), "use head, tail, or sed -n '10,20p'"),
    **dict.fromkeys(("egrep", "fgrep"), "use grep -E or grep -F"),
}
