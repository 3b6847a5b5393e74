"""Secrets of several lines: private keys of real lengths, and files that hold credentials."""

from __future__ import annotations

from base64 import b64encode
from random import Random

from tests.kit.secrets.planted import Maker, Planted
from tests.kit.secrets.spelling import ALPHABETS, draw, password, spelled

OPENSSH = (
    b"openssh-key-v1\x00\x00\x00\x00\x04none\x00\x00\x00\x04none\x00\x00\x00\x00\x00\x00\x00\x01"
)
LINE = 64
HEX = ALPHABETS["hex"]

# Kind → the label, the bytes every such key begins with, all its bytes, letters of a line.
ARMOURED: dict[str, tuple[str, str, int, int]] = {
    "rsa-2048": ("RSA PRIVATE KEY", "308204a40201000282010100", 1192, LINE),
    "rsa-4096": ("RSA PRIVATE KEY", "308209290201000282020100", 2349, LINE),
    "rsa-8192": ("RSA PRIVATE KEY", "308212280201000282040100", 4652, LINE),
    "pkcs8": ("PRIVATE KEY", "308204bd020100300d06092a864886f70d0101010500", 1217, LINE),
    "pkcs8-encrypted": ("ENCRYPTED PRIVATE KEY", "3082052e305806092a864886f70d01050d", 1330, LINE),
    "ec-p256": ("EC PRIVATE KEY", "30770201010420", 121, LINE),
    "dsa": ("DSA PRIVATE KEY", "308201bb0201000281", 447, LINE),
    "openssh-ed25519": ("OPENSSH PRIVATE KEY", OPENSSH.hex(), 290, 70),
    "openssh-rsa": ("OPENSSH PRIVATE KEY", OPENSSH.hex(), 1850, 70),
}


def body(rng: Random, head: str, size: int, line: int = LINE) -> str:
    """Base64 lines of so many bytes, the first ones given in hex."""
    known = bytes.fromhex(head)
    text = b64encode(known + rng.randbytes(size - len(known))).decode()
    return "\n".join(text[at : at + line] for at in range(0, len(text), line))


def armoured(kind: str) -> Maker:
    """Makes a private key between its two lines; the secret is what stands between them."""
    label, head, size, line = ARMOURED[kind]

    def make(rng: Random) -> Planted:
        secret = body(rng, head, size, line)
        return Planted(f"-----BEGIN {label}-----\n{secret}\n-----END {label}-----", secret)

    return make


def pgp(rng: Random) -> Planted:
    """A PGP private key block with its headers and checksum."""
    secret = body(rng, "9505860464", 2900)
    name = "PGP PRIVATE KEY BLOCK"
    tail = f"={draw(rng, ALPHABETS['base64'], 4)}"
    begun = f"-----BEGIN {name}-----\nVersion: GnuPG v2\n"
    return Planted(f"{begun}\n{secret}\n{tail}\n-----END {name}-----", secret)


def service_account(rng: Random) -> Planted:
    """The JSON file of a Google service account; its key stands in it with `\\n` for newlines."""
    _, head, size, line = ARMOURED["pkcs8"]
    secret = body(rng, head, size, line).replace("\n", "\\n")
    key = f"-----BEGIN PRIVATE KEY-----\\n{secret}\\n-----END PRIVATE KEY-----\\n"
    mail = spelled("<word>@<word>-<digits:6>.iam.gserviceaccount.com", rng)
    return Planted(
        '{\n  "type": "service_account",\n'
        f'  "private_key_id": "{draw(rng, HEX, 40)}",\n'
        f'  "private_key": "{key}",\n'
        f'  "client_email": "{mail}"\n}}',
        secret,
    )


def basic_header(rng: Random) -> Planted:
    """The header of HTTP's basic authentication: name and password in base64."""
    secret = b64encode(f"{spelled('<user>', rng)}:{password(rng)}".encode()).decode()
    return Planted(f"Authorization: Basic {secret}", secret)


def docker_auth(rng: Random) -> Planted:
    """Docker's `config.json`: name and password in base64."""
    secret = b64encode(f"{spelled('<user>', rng)}:{password(rng)}".encode()).decode()
    return Planted(f'{{"auths": {{"ghcr.io": {{"auth": "{secret}"}}}}}}', secret)


def client_key(rng: Random) -> Planted:
    """The client key of a kubeconfig: a PEM file in base64, on one line."""
    pem = armoured("rsa-2048")(rng).text
    secret = b64encode(pem.encode()).decode()
    return Planted(f"users:\n- name: admin\n  user:\n    client-key-data: {secret}", secret)


def kubernetes_secret(rng: Random) -> Planted:
    """A Secret of Kubernetes as YAML, its value in base64."""
    secret = b64encode(password(rng).encode()).decode()
    return Planted(
        f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  password: {secret}", secret
    )


def static_key(rng: Random) -> Planted:
    """An OpenVPN static key: lines of hex between its own two lines."""
    secret = "\n".join(draw(rng, HEX, 32) for _ in range(16))
    name = "OpenVPN Static key V1"
    return Planted(f"-----BEGIN {name}-----\n{secret}\n-----END {name}-----", secret)


KEYS: dict[str, Maker] = {
    **{kind: armoured(kind) for kind in ARMOURED},
    "pgp-private": pgp,
    "gcp-service-account": service_account,
    "basic-header": basic_header,
    "docker-config": docker_auth,
    "kubeconfig-client-key": client_key,
    "kubernetes-secret": kubernetes_secret,
    "openvpn-static-key": static_key,
}
