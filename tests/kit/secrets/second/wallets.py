"""Keys of wallets, second factors and recovery codes."""

from __future__ import annotations

import hashlib
from random import Random

from tests.kit.secrets.planted import Maker
from tests.kit.secrets.second.draws import (
    BASE32,
    BASE58,
    DIGITS,
    HEX,
    LOWNUM,
    UPNUM,
    Value,
    either,
    letters,
    of,
)
from tests.kit.secrets.second.shapes import planted

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


SEED_SHAPES = planted(either(mnemonic(12), mnemonic(24)))
KINDS: dict[str, Maker] = {
    "seed_phrase": SEED_SHAPES("""
        MNEMONIC="«secret»"
        ~~~
        seed phrase: «secret»
        ~~~
        const wallet = ethers.Wallet.fromPhrase("«secret»");
        ~~~
        accounts: { mnemonic: '«secret»', path: "m/44'/60'/0'/0" },
        ~~~
        My recovery phrase is «secret» and the wallet is on the ledger in the office
        ~~~
        «secret»
    """),
    "seed_phrase_numbered": planted(_numbered)("""
        Write these words down:
        «secret»
        ~~~
        Recovery phrase (12 words)

        «secret»
    """),
    "ethereum_key": planted(either(of("0x", (HEX, 64)), of((HEX, 64))))("""
        PRIVATE_KEY=«secret»
        ~~~
        accounts: ["«secret»"]
        ~~~
        const wallet = new ethers.Wallet("«secret»", provider)
        ~~~
        cast send --private-key «secret» 0x«hex40» "transfer()"
        ~~~
        (0) 0x«hex40» (1000 ETH)
        Private Key: «secret»
    """),
    "bitcoin_wif": planted(either(base58check(b"\x80", 32), of("L", (BASE58, 51))))("""
        bitcoin-cli importprivkey «secret»
        ~~~
        WIF: «secret»
        ~~~
        "privkey": "«secret»",
    """),
    "extended_private_key": planted(base58check(bytes.fromhex("0488ade4") + bytes(9), 65))("""
        "xprv": "«secret»"
        ~~~
        BIP32 Root Key: «secret»
        ~~~
        descriptor: wpkh(«secret»/84h/0h/0h/0/*)
    """),
    "solana_keypair": planted(_key_bytes)("""
        $ cat ~/.config/solana/id.json
        «secret»
        ~~~
        const payer = Keypair.fromSecretKey(Uint8Array.from(«secret»));
        ~~~
        WALLET_SECRET_KEY='«secret»'
    """),
    "stellar_seed": planted(of("S", (BASE32, 55)))("""
        Keypair.fromSecret("«secret»")
        ~~~
        STELLAR_SECRET=«secret»
    """),
    "totp_uri": planted(either(of((BASE32, 32)), of((BASE32, 16))))("""
        otpauth://totp/«company»:«email»?secret=«secret»&issuer=«company»
        ~~~
        qrencode -t ansi "otpauth://totp/«user»?secret=«secret»&digits=6&period=30"
        ~~~
        oathtool --totp -b «secret»
        ~~~
        pyotp.TOTP("«secret»").now()
    """),
    "totp_setup": planted(
        lambda chance: " ".join(letters(chance, BASE32.lower()[:26], 4) for _ in range(8))
    )("""
        Can't scan the code? Enter this key instead: «secret»
        ~~~
        2FA setup key: «secret»
        ~~~
        Your authenticator secret is "«secret»"
    """),
    "recovery_codes": planted(codes)("""
        Save your recovery codes:
        «secret»
        ~~~
        # two-factor backup codes for «email»
        «secret»
        ~~~
        Backup codes
        ------------
        «secret»
    """),
    "disk_recovery": planted(
        lambda chance: "-".join(letters(chance, DIGITS, 6) for _ in range(8))
    )("""
        BitLocker Recovery Key: «secret»
        ~~~
        Numerical Password:
          ID: {«uuid»}
          Password:
            «secret»
        ~~~
        manage-bde -unlock D: -RecoveryPassword «secret»
    """),
    "filevault_key": planted(
        lambda chance: "-".join(letters(chance, UPNUM, 4) for _ in range(6))
    )("""
        FileVault recovery key = '«secret»'
        ~~~
        Personal recovery key: «secret»
    """),
}
