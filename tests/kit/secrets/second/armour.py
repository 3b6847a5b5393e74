"""Private keys in their armour. The secret is the key's own lines, without the armour's.

Lengths and first bytes are those of real keys of the kind; what follows is random.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from random import Random
from textwrap import wrap

from tests.kit.secrets.planted import Maker, Planted
from tests.kit.secrets.second.draws import (
    BECH32,
    HEX,
    Value,
    base64_bytes,
    either,
    in_base64,
    letters,
    of,
    unpadded,
)
from tests.kit.secrets.second.shapes import fill, planted

RSA_2048 = bytes.fromhex("308204a40201000282010100")
RSA_4096 = bytes.fromhex("308209290201000282020100")
PKCS8 = bytes.fromhex("308204be020100300d06092a864886f70d0101010500048204a8")
EC_256 = bytes.fromhex("30770201010420")
DSA_1024 = bytes.fromhex("308201bb02010002818100")
SEALED = bytes.fromhex("308204fe302806")
ED25519 = bytes.fromhex("302e020100300506032b657004220420")
AROUND = (
    "«key»",
    "$ cat ~/.ssh/id_rsa\n«key»",
    "cat > key.pem <<'EOF'\n«key»\nEOF",
    'KEY = """«key»"""',
    "--- a/deploy/key.pem\n«key»\n",
)


def _lined(value: Value, width: int = 64) -> Value:
    """A value broken into lines."""
    return lambda chance: "\n".join(wrap(value(chance), width))


def _pem_file(label: str, lead: bytes) -> Value:
    """A key file, whole."""
    body = _lined(base64_bytes(1200, lead))
    return of(f"-----BEGIN {label}-----\n", body, f"\n-----END {label}-----\n")


def _armoured(label: str, body: Value, head: str = "") -> Maker:
    """A maker of a key between its BEGIN and END lines: as a file, indented, or told by a shell."""

    def made(chance: Random) -> Planted:
        secret, indent = body(chance), ""
        if chance.random() < 0.3:  # a block in YAML
            indent = "    "
            secret = secret.replace("\n", "\n" + indent)
        given = {"secret": secret}
        lines = [f"-----BEGIN {label}-----"]
        lines += [*fill(head, chance, {}).split("\n"), ""] if head else []
        lines += ["«secret»", f"-----END {label}-----"]
        key = "\n".join(indent + line if line else line for line in lines)
        around = "tls.key: |\n«key»" if indent else chance.choice(AROUND)
        return Planted(fill(around, chance, {"key": fill(key, chance, given)}), secret)

    return made


def _openssh(chance: Random) -> str:
    """The lines of an unencrypted Ed25519 key as `ssh-keygen` writes them."""

    def field(data: bytes) -> bytes:
        return len(data).to_bytes(4, "big") + data

    kind, public, private = b"ssh-ed25519", chance.randbytes(32), chance.randbytes(32)
    public_part = field(kind) + field(public)
    check = chance.randbytes(4) * 2
    private_part = check + public_part + field(private + public) + field(b"deploy@host")
    private_part += bytes(range(1, 1 + (-len(private_part)) % 8))
    blob = b"openssh-key-v1\0" + field(b"none") * 2 + field(b"") + b"\0\0\0\1"
    blob += field(public_part) + field(private_part)
    return "\n".join(wrap(base64.b64encode(blob).decode(), 70))


def _pgp(chance: Random) -> str:
    """The lines of a PGP block with the checksum at their end."""
    body = _lined(base64_bytes(920, bytes.fromhex("9503980465")))(chance)
    return f"{body}\n={base64.b64encode(chance.randbytes(3)).decode()}"


def _jwk(members: Callable[[Random], dict[str, object]], secret_name: str) -> Maker:
    """A maker of a JSON web key whose secret is one of its members."""

    def made(chance: Random) -> Planted:
        key = members(chance)
        if chance.random() < 0.5:
            key["kid"] = letters(chance, HEX, 12)
        text = json.dumps(key, indent=chance.choice((None, 2)))
        text = chance.choice((text, f'{{"keys": [{text}]}}', f"PRIVATE_JWK='{text}'"))
        return Planted(text, str(key[secret_name]))

    return made


def _ec_jwk(chance: Random) -> dict[str, object]:
    """The members of a private key on P-256."""
    x, y, d = (unpadded(chance.randbytes(32)) for _ in range(3))
    return {"kty": "EC", "crv": "P-256", "x": x, "y": y, "d": d, "alg": "ES256"}


def _rsa_jwk(chance: Random) -> dict[str, object]:
    """The members of a private RSA key, the exponent in full."""
    n, d, p, q = (unpadded(chance.randbytes(size)) for size in (256, 256, 128, 128))
    return {"kty": "RSA", "n": n, "e": "AQAB", "d": d, "p": p, "q": q, "use": "sig"}


def _oct_jwk(chance: Random) -> dict[str, object]:
    """The members of a symmetric key."""
    return {"kty": "oct", "alg": "HS256", "k": unpadded(chance.randbytes(32)), "use": "sig"}


KINDS: dict[str, Maker] = {
    "pem_rsa": _armoured(
        "RSA PRIVATE KEY",
        _lined(either(base64_bytes(1192, RSA_2048), base64_bytes(2349, RSA_4096))),
    ),
    "pem_rsa_encrypted": _armoured(
        "RSA PRIVATE KEY",
        _lined(base64_bytes(1200)),
        "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,«hex32»",
    ),
    "pem_pkcs8": _armoured("PRIVATE KEY", _lined(base64_bytes(1218, PKCS8))),
    "pem_ed25519": _armoured("PRIVATE KEY", base64_bytes(48, ED25519)),
    "pem_ec": _armoured("EC PRIVATE KEY", _lined(base64_bytes(121, EC_256))),
    "pem_dsa": _armoured("DSA PRIVATE KEY", _lined(base64_bytes(447, DSA_1024))),
    "pem_pkcs8_encrypted": _armoured("ENCRYPTED PRIVATE KEY", _lined(base64_bytes(1282, SEALED))),
    "openssh_key": _armoured("OPENSSH PRIVATE KEY", _openssh),
    "ssh2_key": planted(_lined(base64_bytes(600, bytes.fromhex("3f6ff9eb")), 70))("""
        ---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----
        Comment: "2048-bit rsa, «user»"
        «secret»
        ---- END SSH2 ENCRYPTED PRIVATE KEY ----
        ~~~
        ---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----
        «secret»
        ---- END SSH2 ENCRYPTED PRIVATE KEY ----
    """),
    "pgp_private": _armoured("PGP PRIVATE KEY BLOCK", _pgp, "Version: GnuPG v2"),
    "putty_key": planted(_lined(base64_bytes(36)))("""
        PuTTY-User-Key-File-3: ssh-ed25519
        Encryption: none
        Comment: «user»@«host»
        Public-Lines: 1
        AAAAC3NzaC1lZDI1NTE5
        Private-Lines: 1
        «secret»
        Private-MAC: «hex64»
        ~~~
        PuTTY-User-Key-File-2: ssh-rsa
        Encryption: none
        Private-Lines: 1
        «secret»
        Private-MAC: «hex40»
    """),
    "wireguard": planted(base64_bytes(32))("""
        [Interface]
        PrivateKey = «secret»
        Address = «ip»/24
        ~~~
        [Peer]
        PresharedKey=«secret»
        AllowedIPs = «ip»/32
        ~~~
        $ wg genkey | tee privatekey
        «secret»
        ~~~
        wg0: {private_key: "«secret»", listen_port: 51820}
    """),
    "age_identity": planted(of("AGE-SECRET-KEY-1", (BECH32, 58)))("""
        # created: 2026-03-02T«time»Z
        # public key: age1«id8»
        «secret»
        ~~~
        SOPS_AGE_KEY=«secret» sops -d secrets.yaml
        ~~~
        age-keygen printed «secret»
    """),
    "openvpn_static": planted(
        lambda chance: "\n".join(letters(chance, HEX, 32) for _ in range(16))
    )("""
        -----BEGIN OpenVPN Static key V1-----
        «secret»
        -----END OpenVPN Static key V1-----
        ~~~
        <tls-auth>
        -----BEGIN OpenVPN Static key V1-----
        «secret»
        -----END OpenVPN Static key V1-----
        </tls-auth>
    """),
    "kubeconfig_key": planted(in_base64(_pem_file("RSA PRIVATE KEY", RSA_2048)))("""
        - name: admin
          user:
            client-key-data: «secret»
        ~~~
        {"name": "admin", "user": {"client-key-data": "«secret»"}}
    """),
    "pem_in_base64": planted(in_base64(_pem_file("PRIVATE KEY", PKCS8)))("""
        TLS_KEY_B64=«secret»
        ~~~
          tls.key: «secret»
        ~~~
        echo «secret» | base64 -d > key.pem
    """),
    "jwk_ec": _jwk(_ec_jwk, "d"),
    "jwk_rsa": _jwk(_rsa_jwk, "d"),
    "jwk_oct": _jwk(_oct_jwk, "k"),
    "dnssec_tsig": planted(base64_bytes(32))("""
        key "update-«word»" {
          algorithm hmac-sha256;
          secret "«secret»";
        };
        ~~~
        nsupdate -y hmac-sha256:«word»:«secret» changes.txt
        ~~~
        Private-key-format: v1.3
        Algorithm: 13 (ECDSAP256SHA256)
        PrivateKey: «secret»
    """),
    "vapid_key": planted(lambda chance: unpadded(chance.randbytes(32)))("""
        VAPID_PRIVATE_KEY=«secret»
        ~~~
        {"subject": "mailto:«email»", "privateKey": "«secret»"}
    """),
}
