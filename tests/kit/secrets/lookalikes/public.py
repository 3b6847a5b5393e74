"""What is random to the eye and gives access to nothing: digests, public keys, identifiers."""

from __future__ import annotations

from tests.kit.secrets.shapes import shapes_of

SHAPES = shapes_of(r"""
ssh-rsa «ssh_rsa» «user»@«host»
ssh-ed25519 «ssh_ed25519» deploy@«host»
{"keys": [{"kty": "RSA", "kid": "«hex16»", "use": "sig", "n": "«modulus»", "e": "AQAB"}]}
256 SHA256:«fingerprint» «user»@«host» (ED25519)
gpg: key «HEX16»: public key "«word»" imported
sha1 Fingerprint=«colons»
# public key: age1«bech32»
STRIPE_PUBLISHABLE_KEY=pk_live_«alnum24»
<div class="g-recaptcha" data-sitekey="6L«alnum38»"></div>
SENTRY_DSN=https://«hex32»@o«n».ingest.sentry.io/«n»
client_id: «uuid»
"private_key_id": "«hex40»",
kms_key_id = "arn:aws:kms:«region»:«account»:key/«uuid»"
keyVaultName: kv-«app»-«stage»
arn:aws:secretsmanager:«region»:«account»:secret:«app»/db-Ab12Cd
projects/«app»-«stage»/secrets/db-password/versions/latest
/subscriptions/«uuid»/resourceGroups/«app»/providers/Microsoft.KeyVault/vaults/kv
subnet_id = "subnet-0«hex16»"
channel: C0«ID8»A
"id": "chatcmpl-«alnum24»",
tool_call_id: call_«alnum24»
owner = 0x«hex40»
password: ENC[AES256_GCM,data:«short_base64»,iv:«sha256_base64»,tag:«tag»,type:str]
traceparent: 00-«hex32»-«hex16»-01
x-amz-cf-id: «fingerprint»==
x-amzn-trace-id: Root=1-«hex8»-«hex24»
<https://api.«domain»/items?after=«n»&limit=50>; rel="next"
«hex7» (HEAD -> main) rename the token field
uses: actions/checkout@«hex40» # v4.2.2
160000 commit «hex40»	vendor/«word»
  resolution: {integrity: sha512-«sha512_base64»}
  checksum: 10c0/«hex128»
{ url = "https://files.pythonhosted.org/packages/a.whl", hash = "sha256:«hex64»" },
github.com/golang-jwt/jwt/v5 v5.2.1 h1:«sha256_base64»
"content-hash": "«hex32»",
  sha256 = "sha256-«sha256_base64»";
image: ghcr.io/«company»/«app»@sha256:«hex64»
«app»   latest   «hex12»   3 days ago   1.2GB
«hex64»  «app»-1.4.2-linux-amd64.tar.gz
MD5 (dump.sql) = «hex32»
sha256: «hex64»
ETag: "«hex32»"
"ETag": "\"«hex32»-4\"",
deploymentId = "«uuid»"
INSERT INTO orders (id, total) VALUES ('«uuid»', 42.50);
UUID=«uuid» / ext4 defaults 0 1
<img src="data:image/png;base64,«png»" alt="logo">
url(data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7)
src: url(data:font/woff2;base64,«woff») format("woff2");
"outputs": [{"data": {"image/png": "«png»"}, "output_type": "display_data"}]
{"version":3,"sources":["a.ts"],"names":[],"mappings":"AAAA,SAAS,KAAK,CAAC,IAAY;IACvB,OAAO,IAAI"}
//# sourceMappingURL=main.«hex16».js.map
dist/assets/index-«alnum8».css   214.31 kB │ gzip: 31.02 kB
<script src="/a.js" integrity="sha384-«sha384_base64»" crossorigin="anonymous"></script>
cache key: node-modules-«hex64»
ELF build «hex16» loaded at 0x«hex12»
3.14159265358979323846264338327950288419716939937510
timestamps: [1767225600000, 1767225660000, 1767225720000]
aGVsbG8gd29ybGQK
Subject: =?UTF-8?B?UmVjaG51bmcgZsO8ciBNw6Ryeg==?=
00000010: 4865 6c6c 6f2c 2077 6f72 6c64 210a 0000  Hello, world!...
const MAGIC: [u8; 8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
RGB: #«hex6» #«hex6b»
user-agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/131.0.0.0
pseudo-version v0.0.0-20260302101500-«hex12»
password-validator==2.4.1
-----BEGIN PUBLIC KEY-----⏎«rsa_public»⏎-----END PUBLIC KEY-----
-----BEGIN CERTIFICATE-----⏎«certificate»⏎-----END CERTIFICATE-----
-----BEGIN CERTIFICATE REQUEST-----⏎«certificate»⏎-----END CERTIFICATE REQUEST-----
clusters:⏎- cluster:⏎    certificate-authority-data: «certificate_base64»⏎
    server: https://«host»:6443
-----BEGIN PGP PUBLIC KEY BLOCK-----⏎⏎«pgp»⏎-----END PGP PUBLIC KEY BLOCK-----
-----BEGIN PGP SIGNATURE-----⏎⏎«pgp»⏎-----END PGP SIGNATURE-----
The authenticity of host '«host»' can't be established.⏎
ED25519 key fingerprint is SHA256:«fingerprint».
[Peer]⏎PublicKey = «sha256_base64»⏎AllowedIPs = «ip»/32
peer: «sha256_base64»⏎  endpoint: «ip»:51820
creation_rules:⏎  - path_regex: secrets/.*⏎    age: age1«bech32»
$ANSIBLE_VAULT;1.1;AES256⏎«hex80»⏎«hex80b»
kind: SealedSecret⏎spec:⏎  encryptedData:⏎    password: AgB«sealed»
root:x:0:0:root:/root:/bin/bash⏎«user»:x:1001:1001::/home/«user»:/usr/sbin/nologin
commit «hex40»⏎Author: «word» <«email»>
"resolved": "https://registry.npmjs.org/js-tokens/-/js-tokens-4.0.0.tgz",⏎
"integrity": "sha512-«sha512_base64»",
requests==2.32.3 \⏎    --hash=sha256:«hex64» \⏎    --hash=sha256:«hex64b»
name = "secrecy"⏎checksum = "«hex64»"
data:⏎  config.yaml: bG9nX2xldmVsOiBpbmZvCnBvcnQ6IDgwODAK
""")
