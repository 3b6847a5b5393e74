"""Files for credentials: no guide, import or skill of a project is read from one."""

import json
from pathlib import Path

import pytest

import loom
from loom.capabilities.key_files import holds_keys
from loom.cli import main
from tests.kit.cases import all_cases
from tests.kit.guides import guides_in, wrote

NAMES = [
    ".env", ".ENV", ".Env.local", ".env.production", "prod.env", ".envrc", ".netrc", "_netrc",
    ".git-credentials", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".htpasswd", "id_rsa", "ID_RSA",
    "id_ed25519_sk", "id_rsa.old", "server.pem", "server.KEY", "store.p12", "a.jks", "x.kdbx",
    "terraform.tfstate", "prod.tfvars", "credentials", "credentials.json", "secrets.yml",
    ".secrets", "service-account-prod.json", "client_secret_1.json", ".ssh/config", ".aws/config",
    ".kube/config", "master.key", ".vault-password", ".bash_history", ".env. ", ".env::$DATA",
    "\u200b.env",
]  # fmt: skip
FREE = [
    ".env.example", ".env.sample", "env.md", "docs/environment.md", "credentials.md", "secret.md",
    "keys.md", "id_rsa.pub", "key.py", "secrets.py", "monkey.txt", "README", "AGENTS.md", "ssh.md",
    ".envoy.yaml", "credentials.ts",
]  # fmt: skip
VALUE = "hunter plain words of no shape"


@all_cases("name", NAMES)
def test_names_of_keys(name: str) -> None:
    """Whatever their case, and however their end is dressed."""
    assert holds_keys(Path("/r") / name, Path("/r"))


@all_cases("name", FREE)
def test_names_of_no_keys(name: str) -> None:
    """Samples, documents and sources; and the folders above a project say nothing of it."""
    assert not holds_keys(Path("/r") / name, Path("/r"))
    assert not holds_keys(Path("/home/.ssh/r") / name, Path("/home/.ssh/r"))


@all_cases("ignored", [False, True])
@all_cases("name", [".env", "deploy/id_rsa", ".netrc", ".git-credentials", ".Env"])
def test_an_import_of_one(repo: Path, name: str, ignored: bool) -> None:
    """Of the root's guide or of one further down, ignored by git or not: refused, with its line."""
    wrote(repo / name, VALUE)
    wrote(repo / "AGENTS.md", f"- Be kind.\n@{name}\n")
    wrote(repo / "sub" / "AGENTS.md", f"@../{name}\n@{repo / name}\n")
    if ignored:
        wrote(repo / ".gitignore", f"{name}\n")
    found, warnings = guides_in(repo / "sub")
    assert VALUE not in "".join(found.values())
    assert any(
        line.startswith(f"AGENTS.md:2: @{name}: a file for credentials") for line in warnings
    )
    assert sum("credentials" in line for line in warnings) == 3


@all_cases("way", ["link", "hop", "folder", "guide", "import", "late"])
def test_a_link_to_one(repo: Path, way: str) -> None:
    """Neither by a link, nor past one that leads on, nor as a guide, nor behind an import."""
    wrote(repo / "values" if way == "hop" else repo / ".env", VALUE)
    wrote(repo / "AGENTS.md", "- Be kind.\n@docs/style.md\n")
    (repo / "docs").mkdir()
    style = repo / "docs" / "style.md"
    if way == "hop":
        (repo / ".env").symlink_to("values")
    if way in ("link", "hop"):
        style.symlink_to("../.env")
    elif way == "folder":
        (repo / ".ssh").mkdir()
        wrote(repo / ".ssh" / "style.md", VALUE)
        (repo / "docs").rmdir()
        (repo / "docs").symlink_to(".ssh")
    elif way == "guide":
        (repo / "AGENTS.md").unlink()
        (repo / "AGENTS.md").symlink_to(".env")
    else:
        style.write_text("@../.env" if way == "import" else "ok")
    found, warnings = guides_in(repo)
    if way == "late":
        style.unlink()
        style.symlink_to("../.env")
        found, warnings = guides_in(repo)
    assert VALUE not in "".join(found.values())
    assert any("a file for credentials: never loaded" in line for line in warnings)


def test_nothing_of_it_anywhere(
    repo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not in a request, not on the disk, not where a command prints; a warning names the line."""
    wrote(repo / ".env", VALUE)
    wrote(repo / "AGENTS.md", "- Be kind.\n@.env\n")
    skill = repo / ".agents" / "skills" / "two"
    skill.mkdir()
    (skill / "SKILL.md").symlink_to("../../../.env")
    with (
        pytest.warns(loom.LoomWarning, match=r"AGENTS\.md:2: @\.env: a file for credentials"),
        loom.open(tmp_path / "k", project=repo, durable=False) as ctx,
    ):
        ctx.user("go on")
        assert VALUE not in json.dumps(ctx.turn().request())
        assert [skill.name for skill in ctx.skills.found] == ["one"]
    held = b"".join(one.read_bytes() for one in (tmp_path / "k").rglob("*") if one.is_file())
    assert VALUE.encode() not in held
    assert main(["memory", str(repo)]) == 0
    assert main(["skills", str(repo), "--strict"]) == 1
    out = capsys.readouterr().out
    assert VALUE not in out and out.count("a file for credentials") == 2
