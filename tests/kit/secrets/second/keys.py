"""Private keys in their armour, keys of wallets, second factors and recovery codes.

The secret of an armoured key is the key's own lines, without the armour's. Lengths and first bytes
are those of real keys of the kind; what follows is random.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Callable
from random import Random
from textwrap import wrap

from tests.kit.secrets.planted import Maker, Planted
from tests.kit.secrets.second.draws import (
    BASE32,
    BASE58,
    DIGITS,
    HEX,
    LOWNUM,
    UPNUM,
    Value,
    base64_bytes,
    either,
    in_base64,
    letters,
    of,
    unpadded,
)
from tests.kit.secrets.second.shapes import fill, standing

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


def in_lines(value: Value, width: int = 64) -> Value:
    """A value broken into lines."""
    return lambda chance: "\n".join(wrap(value(chance), width))


def _pem_file(label: str, lead: bytes) -> Value:
    """A key file, whole."""
    body = in_lines(base64_bytes(1200, lead))
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
    body = in_lines(base64_bytes(920, bytes.fromhex("9503980465")))(chance)
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


# Every sixteenth word of the English list of BIP-39, beginning with the fifth: the word at place i
# stands for the number 16 i + 4.
SEED_WORDS = """
above action afraid alley ancient appear arrive attend awesome barely behind bird blush box broken
burden calm card cause charge chuckle clever clutch company correct crater cruel custom decade
dentist develop direct dog dream duty educate embrace enhance erode excess explain family fee final
flat fold frame future gauge glad goose grief hammer hedgehog hold hub identify income innocent
isolate joy kind lady leader letter little loyal make mass melody milk model mountain myth nest
notable obtain once orient ozone party penalty pig pledge possible pride prosper purse rack raw
region repair review ritual route salon scene secret setup shoot silk skin smart soldier spatial
spoon stand story sudden surround symptom teach they tip tonight track trigger tunnel uncle update
vacuum verb virus walk weasel whisper wish write
""".split()  # noqa: SIM905 – a list of 128 lines tells no more


def _holds(words: list[str]) -> bool:
    """True where the last bits of the words are the checksum of those before (BIP-39)."""
    bits = "".join(f"{16 * SEED_WORDS.index(word) + 4:011b}" for word in words)
    size = len(bits) * 32 // 33
    entropy = int(bits[:size], 2).to_bytes(size // 8, "big")
    digest = f"{int.from_bytes(hashlib.sha256(entropy).digest(), 'big'):0256b}"
    return digest.startswith(bits[size:])


def mnemonic(count: int, between: str = " ") -> Value:
    """A phrase of `count` words a wallet would take."""

    def drawn(chance: Random) -> str:
        words = [chance.choice(SEED_WORDS) for _ in range(count)]
        while not _holds(words):
            words = [*words[1:], chance.choice(SEED_WORDS)]
        return between.join(words)

    return drawn


def _numbered(chance: Random) -> str:
    """A phrase of twelve words, a number before each."""
    words = mnemonic(12)(chance).split()
    return "\n".join(f"{place}. {word}" for place, word in enumerate(words, 1))


def codes(chance: Random) -> str:
    """Six recovery codes, a line each, all of one form."""
    parts, size, alphabet = chance.choice(((2, 5, LOWNUM), (2, 4, DIGITS), (1, 10, LOWNUM)))
    return "\n".join(
        "-".join(letters(chance, alphabet, size) for _ in range(parts)) for _ in range(6)
    )


def base58check(lead: bytes, size: int) -> Value:
    """Random bytes behind a lead in base 58 with their checksum, as wallets export keys."""

    def drawn(chance: Random) -> str:
        data = lead + chance.randbytes(size)
        data += hashlib.sha256(hashlib.sha256(data).digest()).digest()[:4]
        number, text = int.from_bytes(data, "big"), ""
        while number:
            number, rest = divmod(number, 58)
            text = BASE58[rest] + text
        return text

    return drawn


def _key_bytes(chance: Random) -> str:
    """The 64 numbers of a Solana keypair file, between their brackets."""
    return "[" + ",".join(str(number) for number in chance.randbytes(64)) + "]"


KINDS: dict[str, Maker] = {
    "wireguard": standing(base64_bytes(32), "$ wg genkey | tee privatekey\n«secret»"),
    "dnssec_tsig": standing(
        base64_bytes(32),
        "Private-key-format: v1.3\nAlgorithm: 13 (ECDSAP256SHA256)\nPrivateKey: «secret»",
    ),
    "ssh2_key": standing(
        in_lines(base64_bytes(600, bytes.fromhex("3f6ff9eb")), 70),
        '---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: "2048-bit rsa, «user»"\n'
        "«secret»\n---- END SSH2 ENCRYPTED PRIVATE KEY ----",
    ),
    "putty_key": standing(
        in_lines(base64_bytes(36)),
        "PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nPrivate-Lines: 1\n«secret»\n"
        "Private-MAC: «hex40»",
    ),
    "age_identity": standing(
        "AGE-SECRET-KEY-1<bech32:58>",
        "# created: 2026-03-02T«time»Z\n# public key: age1«id8»\n«secret»",
    ),
    "openvpn_static": standing(
        lambda chance: "\n".join(letters(chance, HEX, 32) for _ in range(16)),
        "<tls-auth>\n-----BEGIN OpenVPN Static key V1-----\n«secret»\n"
        "-----END OpenVPN Static key V1-----\n</tls-auth>",
    ),
    "kubeconfig_key": standing(
        in_base64(_pem_file("RSA PRIVATE KEY", RSA_2048)),
        "- name: admin\n  user:\n    client-key-data: «secret»",
    ),
    "pem_in_base64": standing(
        in_base64(_pem_file("PRIVATE KEY", PKCS8)), "echo «secret» | base64 -d > key.pem"
    ),
    "vapid_key": standing(
        lambda chance: unpadded(chance.randbytes(32)), "VAPID_PRIVATE_KEY=«secret»"
    ),
    "seed_phrase": standing(either(mnemonic(12), mnemonic(24)), "seed phrase: «secret»"),
    "seed_phrase_numbered": standing(_numbered, "Recovery phrase (12 words)\n\n«secret»"),
    "ethereum_key": standing(
        either("0x<hex:64>", "<hex:64>"), "(0) 0x«hex40» (1000 ETH)\nPrivate Key: «secret»"
    ),
    "bitcoin_wif": standing(
        either(base58check(b"\x80", 32), "L<base58:51>"), "bitcoin-cli importprivkey «secret»"
    ),
    "extended_private_key": standing(
        base58check(bytes.fromhex("0488ade4") + bytes(9), 65), '"xprv": "«secret»"'
    ),
    "solana_keypair": standing(
        _key_bytes, "const payer = Keypair.fromSecretKey(Uint8Array.from(«secret»));"
    ),
    "stellar_seed": standing("S<base32:55>", "STELLAR_SECRET=«secret»"),
    "totp_uri": standing(either("<base32:32>", "<base32:16>"), "oathtool --totp -b «secret»"),
    "totp_setup": standing(
        lambda chance: " ".join(letters(chance, BASE32.lower()[:26], 4) for _ in range(8)),
        "2FA setup key: «secret»",
    ),
    "recovery_codes": standing(codes, "Save your recovery codes:\n«secret»"),
    "disk_recovery": standing(
        lambda chance: "-".join(letters(chance, DIGITS, 6) for _ in range(8)),
        "manage-bde -unlock D: -RecoveryPassword «secret»",
    ),
    "filevault_key": standing(
        lambda chance: "-".join(letters(chance, UPNUM, 4) for _ in range(6)),
        "FileVault recovery key = '«secret»'",
    ),
    "pem_rsa": _armoured(
        "RSA PRIVATE KEY",
        in_lines(either(base64_bytes(1192, RSA_2048), base64_bytes(2349, RSA_4096))),
    ),
    "pem_rsa_encrypted": _armoured(
        "RSA PRIVATE KEY",
        in_lines(base64_bytes(1200)),
        "Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,«hex32»",
    ),
    "pem_pkcs8": _armoured("PRIVATE KEY", in_lines(base64_bytes(1218, PKCS8))),
    "pem_ed25519": _armoured("PRIVATE KEY", base64_bytes(48, ED25519)),
    "pem_ec": _armoured("EC PRIVATE KEY", in_lines(base64_bytes(121, EC_256))),
    "pem_dsa": _armoured("DSA PRIVATE KEY", in_lines(base64_bytes(447, DSA_1024))),
    "pem_pkcs8_encrypted": _armoured("ENCRYPTED PRIVATE KEY", in_lines(base64_bytes(1282, SEALED))),
    "openssh_key": _armoured("OPENSSH PRIVATE KEY", _openssh),
    "pgp_private": _armoured("PGP PRIVATE KEY BLOCK", _pgp, "Version: GnuPG v2"),
    "jwk_ec": _jwk(_ec_jwk, "d"),
    "jwk_rsa": _jwk(_rsa_jwk, "d"),
    "jwk_oct": _jwk(_oct_jwk, "k"),
}
