"""Secrets of several lines: private keys of real lengths, and files that hold credentials."""

from __future__ import annotations

from base64 import b64encode
from random import Random

from tests.kit.secrets.planted import Maker, Planted
from tests.kit.secrets.second.draws import base64_bytes
from tests.kit.secrets.second.keys import KINDS as SECOND
from tests.kit.secrets.second.keys import in_lines
from tests.kit.secrets.second.shapes import standing
from tests.kit.secrets.spelling import ALPHABETS, draw, password, spelled

OPENSSH = (
    b"openssh-key-v1\x00\x00\x00\x00\x04none\x00\x00\x00\x04none\x00\x00\x00\x00\x00\x00\x00\x01"
)
HEX = ALPHABETS["hex"]
PKCS8 = in_lines(base64_bytes(1217, bytes.fromhex("308204bd020100300d06092a864886f70d0101010500")))


def armoured(label: str, head: str, size: int, width: int = 64) -> Maker:
    """A maker of a private key between its two lines: so many bytes, the first ones in hex."""
    lines = in_lines(base64_bytes(size, bytes.fromhex(head)), width)
    return standing(lines, f"-----BEGIN {label}-----\n«secret»\n-----END {label}-----")


RSA_2048 = armoured("RSA PRIVATE KEY", "308204a40201000282010100", 1192)


def pgp(rng: Random) -> Planted:
    """A PGP private key block with its headers and checksum."""
    secret = in_lines(base64_bytes(2900, bytes.fromhex("9505860464")))(rng)
    name = "PGP PRIVATE KEY BLOCK"
    tail = f"={draw(rng, ALPHABETS['base64'], 4)}"
    begun = f"-----BEGIN {name}-----\nVersion: GnuPG v2\n"
    return Planted(f"{begun}\n{secret}\n{tail}\n-----END {name}-----", secret)


def service_account(rng: Random) -> Planted:
    """The JSON file of a Google service account; its key stands in it with `\\n` for newlines."""
    secret = PKCS8(rng).replace("\n", "\\n")
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
    pem = RSA_2048(rng).text
    secret = b64encode(pem.encode()).decode()
    return Planted(f"users:\n- name: admin\n  user:\n    client-key-data: {secret}", secret)


def kubernetes_secret(rng: Random) -> Planted:
    """A Secret of Kubernetes as YAML, its value in base64."""
    secret = b64encode(password(rng).encode()).decode()
    return Planted(
        f"apiVersion: v1\nkind: Secret\nmetadata:\n  name: db\ndata:\n  password: {secret}", secret
    )


KEYS: dict[str, Maker] = {
    "rsa-2048": RSA_2048,
    "rsa-4096": armoured("RSA PRIVATE KEY", "308209290201000282020100", 2349),
    "rsa-8192": armoured("RSA PRIVATE KEY", "308212280201000282040100", 4652),
    "pkcs8": standing(PKCS8, "-----BEGIN PRIVATE KEY-----\n«secret»\n-----END PRIVATE KEY-----"),
    "pkcs8-encrypted": armoured(
        "ENCRYPTED PRIVATE KEY", "3082052e305806092a864886f70d01050d", 1330
    ),
    "ec-p256": armoured("EC PRIVATE KEY", "30770201010420", 121),
    "dsa": armoured("DSA PRIVATE KEY", "308201bb0201000281", 447),
    "openssh-ed25519": armoured("OPENSSH PRIVATE KEY", OPENSSH.hex(), 290, 70),
    "openssh-rsa": armoured("OPENSSH PRIVATE KEY", OPENSSH.hex(), 1850, 70),
    "pgp-private": pgp,
    "gcp-service-account": service_account,
    "basic-header": basic_header,
    "docker-config": docker_auth,
    "kubeconfig-client-key": client_key,
    "kubernetes-secret": kubernetes_secret,
    "openvpn-static-key": SECOND["openvpn_static"],
}
