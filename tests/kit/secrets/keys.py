"""Private keys in their armour, keys of wallets, second factors and recovery codes.

The secret of an armoured key is the key's own lines, without the armour's. Lengths and first bytes
are those of real keys of the kind; what follows is random.
"""

import hashlib
from random import Random

from tests.kit.secrets.draws import ALNUM, Value, base64_lines, drawn
from tests.kit.secrets.shapes import Maker, Planted, fill, standing

AROUND = (
    "«key»",
    "$ cat ~/.ssh/id_rsa\n«key»",
    "cat > key.pem <<'EOF'\n«key»\nEOF",
    'KEY = """«key»"""',
    "--- a/deploy/key.pem\n«key»\n",
)
OPENSSH = "6f70656e7373682d6b65792d763100000000046e6f6e65000000046e6f6e650000000000000001"
BASE58 = "".join(letter for letter in ALNUM if letter not in "0OIl")


def _armoured(label: str, size: int, lead: str = "", head: str = "", width: int = 64) -> Maker:
    """A maker of a key between its BEGIN and END lines: as a file, indented, or told by a shell."""

    def made(chance: Random) -> Planted:
        secret, indent = base64_lines(size, lead, width)(chance), ""
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


def _in(value: Value, shape: str) -> Maker:
    """A maker of a value in a shape."""

    def made(chance: Random) -> Planted:
        secret = value(chance)
        return Planted(fill(shape, chance, {"secret": secret}), secret)

    return made


# Of the English list of BIP-39.
SEED_WORDS = """
above afraid ancient arrive attend behind broken burden castle charge clever crater decade desert
dinner donkey embrace empower erosion fabric family fatigue flower fossil future garden ginger
goddess hammer harvest income innocent junior kitchen ladder leader maple monster oxygen pepper
""".split()  # noqa: SIM905 – a list of a line each tells no more


def mnemonic(chance: Random) -> str:
    """A phrase of twelve words."""
    return " ".join(chance.choices(SEED_WORDS, k=12))


def _numbered(chance: Random) -> str:
    """Such a phrase, a number before each word."""
    return "\n".join(f"{at}. {word}" for at, word in enumerate(mnemonic(chance).split(), 1))


def base58check(lead: bytes, size: int) -> Value:
    """Random bytes behind a lead in base 58 with their checksum, as wallets export keys."""

    def made(chance: Random) -> str:
        data = lead + chance.randbytes(size)
        data += hashlib.sha256(hashlib.sha256(data).digest()).digest()[:4]
        number, text = int.from_bytes(data, "big"), ""
        while number:
            number, rest = divmod(number, 58)
            text = BASE58[rest] + text
        return text

    return made


def _key_bytes(chance: Random) -> str:
    """The 64 numbers of a Solana keypair file, between their brackets."""
    return "[" + ",".join(str(number) for number in chance.randbytes(64)) + "]"


def _many(form: str, times: int, between: str) -> Value:
    """A form drawn some times."""
    return lambda chance: between.join(drawn(form, chance) for _ in range(times))


KINDS: dict[str, Maker] = {
    **{
        shape: standing(shape)
        for shape in (
            "$ wg genkey | tee privatekey\n⟦<bytes:32>⟧",
            "Private-key-format: v1.3\nAlgorithm: 13 (ECDSAP256SHA256)\nPrivateKey: ⟦<bytes:32>⟧",
            "# public key: age1«id8»\n⟦AGE-SECRET-KEY-1<bech32:58>⟧",
            "VAPID_PRIVATE_KEY=⟦<urlsafe:43>⟧",
            "(0) 0x«hex40» (1000 ETH)\nPrivate Key: ⟦0x<hex:64>⟧",
            "STELLAR_SECRET=⟦S<base32:55>⟧",
            "oathtool --totp -b ⟦<base32:32>⟧",
            "2FA setup key: ⟦<lower:4> <lower:4> <lower:4> <lower:4> <lower:4> <lower:4>⟧",
            "FileVault recovery key = '⟦<upnum:4>-<upnum:4>-<upnum:4>-<upnum:4>-<upnum:4>⟧'",
            '{"kty": "EC", "crv": "P-256", "x": "«hex64»", "d": "⟦<urlsafe:43>⟧"}',
            '{"keys": [{"kty": "RSA", "e": "AQAB", "d": "⟦<urlsafe:342>⟧", "use": "sig"}]}',
            'PRIVATE_JWK=\'{"kty": "oct", "alg": "HS256", "k": "⟦<urlsafe:43>⟧", "use": "sig"}\'',
            "- name: admin\n  user:\n    client-key-data: ⟦LS0tLS1CRUdJTiBSU0EgUFJJVk<base64:900>⟧",
            "echo ⟦LS0tLS1CRUdJTiBQUklWQVRFIEtFWS0tLS0t<base64:900>⟧ | base64 -d > key.pem",
        )
    },
    "ssh2_key": _in(base64_lines(600, "3f6ff9eb", 70),
                 '---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\nComment: "2048-bit rsa, «user»"\n'
                 "«secret»\n---- END SSH2 ENCRYPTED PRIVATE KEY ----"),
    "putty_key": _in(base64_lines(36),
                  "PuTTY-User-Key-File-2: ssh-rsa\nEncryption: none\nPrivate-Lines: 1\n«secret»\n"
                  "Private-MAC: «hex40»"),
    "openvpn_static": _in(_many("<hex:32>", 16, "\n"),
                       "<tls-auth>\n-----BEGIN OpenVPN Static key V1-----\n«secret»\n"
                       "-----END OpenVPN Static key V1-----\n</tls-auth>"),
    "seed_phrase": _in(mnemonic, "seed phrase: «secret»"),
    "seed_phrase_numbered": _in(_numbered, "Recovery phrase (12 words)\n\n«secret»"),
    "bitcoin_wif": _in(base58check(b"\x80", 32), "bitcoin-cli importprivkey «secret»"),
    "extended_private_key": _in(
        base58check(bytes.fromhex("0488ade4") + bytes(9), 65), '"xprv": "«secret»"'
    ),
    "solana_keypair": _in(
        _key_bytes, "const payer = Keypair.fromSecretKey(Uint8Array.from(«secret»));"
    ),
    "recovery_codes": _in(
        _many("<lownum:5>-<lownum:5>", 6, "\n"), "Save your recovery codes:\n«secret»"
    ),
    "disk_recovery": _in(
        _many("<digits:6>", 8, "-"), "manage-bde -unlock D: -RecoveryPassword «secret»"
    ),
    "pem_rsa": _armoured("RSA PRIVATE KEY", 1192, "308204a40201000282010100"),
    "pem_rsa_4096": _armoured("RSA PRIVATE KEY", 2349, "308209290201000282020100"),
    "pem_rsa_encrypted": _armoured(
        "RSA PRIVATE KEY", 1200, head="Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,«hex32»"
    ),
    "pem_pkcs8": _armoured("PRIVATE KEY", 1218, "308204be020100300d06092a864886f70d010101050004"),
    "pem_ed25519": _armoured("PRIVATE KEY", 48, "302e020100300506032b657004220420"),
    "pem_ec": _armoured("EC PRIVATE KEY", 121, "30770201010420"),
    "pem_dsa": _armoured("DSA PRIVATE KEY", 447, "308201bb02010002818100"),
    "pem_pkcs8_encrypted": _armoured("ENCRYPTED PRIVATE KEY", 1282, "308204fe302806"),
    "openssh_key": _armoured("OPENSSH PRIVATE KEY", 290, OPENSSH, width=70),
    "pgp_private": _armoured("PGP PRIVATE KEY BLOCK", 920, "9503980465", "Version: GnuPG v2"),
}  # fmt: skip
