"""Recognise files that hold credentials by their names: no guide, import or skill of a project is
read from such a file.

A guide may name any file of its project, and a guide that imports `.env` would put its values into
every request. Redaction goes by shape and place and misses some values; the name of the file is the
surer sign. Names are compared without regard to case, as on systems that ignore it; a sample file,
which holds no values, counts as any other file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path

from loom.lazy import lazy_re

HOLDS_KEYS = "a file for credentials: never loaded"
HOPS = 40  # links behind each other that are looked at, as many as Linux follows

_SAMPLE = lazy_re(r".*[._-](?:example|sample|template|dist|tmpl|tpl|defaults?|pub|md|rst)")
_DATA = r"(?:ya?ml|json|toml|ini|env|txt|csv|xml|properties|enc|cfg|conf|db)"
_FILES = lazy_re(
    rf"""
    \.env(?:rc)?(?:[._-].*)? | .+\.env(?:\.local)? |
    [._]?netrc(?:\.gpg)? | \.git-credentials | \.gitcookies |
    \.?(?:npmrc|yarnrc|yarnrc\.yml|pypirc|pgpass|pgpass\.conf|my\.cnf|mylogin\.cnf|htpasswd) |
    \.?(?:s3cfg|boto|dockercfg|terraformrc|credstash) | terraform\.rc | master\.key |
    \.?vault[-_]?(?:pass|password|token)(?:\.txt)? | \.?passwd | shadow |
    (?:id|ssh_host)_(?:rsa|dsa|ecdsa|ed25519|xmss)(?:_sk)?(?:_key)?(?:[._-].*)? |
    .+\.(?:pem|key|p8|p12|pfx|ppk|jks|keystore|kdbx?|gpg|pgp|ovpn|agekey|tfvars|tfstate) |
    .+\.(?:tfstate|tfvars)\.(?:backup|json) |
    \.?(?:credentials|secrets?)(?:\.{_DATA})? |
    (?:service[-_]?account|client[-_]?secrets?|application_default_credentials).*\.json |
    \.(?:ba|z|fi)?sh_history | \.(?:psql|mysql|python|node_repl|rediscli)_history
    """,
    re.VERBOSE | re.DOTALL,
)
_FOLDERS = frozenset((".ssh", ".aws", ".gnupg", ".azure", ".kube", ".docker", ".gcloud"))


def holds_keys(path: Path, root: Path) -> bool:
    """Return True if the name of a file, of a link that leads to the file, or of a folder below
    `root` on the way, such as `.ssh`, suggests credentials."""
    return any(_is_named_for_keys(at, root) for at in _linked_paths(path))


def _linked_paths(path: Path) -> Iterator[Path]:
    """Yield `path` and, if it is a link, each path that it leads to, last the real file."""
    at = Path(os.path.normpath(path))
    for _ in range(HOPS):
        yield at
        try:
            to = at.readlink()
        except OSError:
            break
        at = Path(os.path.normpath(at.parent / to))
    yield Path(os.path.realpath(path))


def _is_named_for_keys(path: Path, root: Path) -> bool:
    """Return True if the name of the file, or of a folder below `root` on the path, suggests
    credentials."""
    inside = path.relative_to(root).parts if path.is_relative_to(root) else path.parts[-1:]
    *folders, name = map(_comparable_name, inside or (path.name,))
    by_name = _FILES.fullmatch(name) and not _SAMPLE.fullmatch(name)
    return bool(by_name) or not _FOLDERS.isdisjoint(folders)


def _comparable_name(name: str) -> str:
    """Return a name in lower case, without invisible characters and endings that systems ignore."""
    # Windows drops dots and spaces at the end, and what follows a colon is a stream of the file.
    seen = "".join(sign for sign in name.casefold() if sign.isprintable())
    return seen.partition(":")[0].rstrip(". ")
