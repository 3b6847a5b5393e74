"""What looks like a secret and is none stays as it is: an agent edits code by its exact text."""

from __future__ import annotations

from random import Random

from loom.redact import Redactor
from tests.kit.cases import all_cases
from tests.kit.secrets_made import MADE

UUID = "3f2a9c1e-77b4-4d0a-9e52-8c1f0a6b3d21"
SHA1 = "3f2a9c1e77b4d0a9e528c1f0a6b3d2149f0e1a2b"
SHA256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
SHA512 = (
    "sha512-Nq8Zr2LmX0vBn7KcTy4HdWs9PfGj3Ua6EiOpQwXzCvBnMlKjHgFdSaPoIuYtReWqZxCvBnM1234567890abcQ=="
)
DECOYS = (
    "--- PASS: TestParseV2Config (0.00s)",
    "the other session Timestamp:2026-01-15T10:11:12Z",
    "checkpoints, err := s.getCheckpointsForSession(ctx)",
    "return s.writeFinalTaskCheckpt(a)",
    "/static/app.js?hash=3f2a9c1e77b4d0a9e528c1f0a6b3d214",
    "pin: 20240101",
    'keys: ["user_id", "created_at"]',
    'password_hashers = ["argon2id", "bcrypt_sha256"]',
    'PASSWORD_HASHERS = ["django.contrib.auth.hashers.PBKDF2PasswordHasher"]',
    'path("login/", "module.views2.LoginView")',
    "  alice/feature-a1B2c3",
    f"commit {SHA1}",
    "fix(auth): rotate keys (3f2a9c1e)",
    f'"integrity": "{SHA512}"',
    'resolved "https://registry.yarnpkg.com/js-tokens/-/js-tokens-4.0.0.tgz#19203fb59991df98e3a287050d4647cdeaf32499"',
    f"/js-tokens@4.0.0:\n    resolution: {{integrity: {SHA512}}}",
    f'"public_key_id": "{SHA1}"',
    'nextPageToken: "CAUQAA3f9Zk2LmX0vBn7"',
    'cursor: "Zr2LmX0vBn7KcTy4HdWs9P"',
    '"NextContinuationToken": "1ueGcxLPRx1Tr/XYExHnhbYLgveDs2J/wm36Hy4vbOwM="',
    "csrf_token = get_token(request)",
    'csrf_token = request.META["CSRF_COOKIE_2"]',
    'token: "<your-token-here>"',
    'api_key=os.environ["API_KEY2"]',
    "API_KEY=xxxxxxxxxxxxxxxx",
    "password: xxxx1234xxxx",
    ".sk-estimator-doc-link-container2 { }",
    f"uid: {UUID}",
    "tests/test_auth.py::test_login[password-Abc123-True] PASSED",
    "FAILED tests/test_secret.py::TestSecretV2::test_rotates[key_3-sha256] - AssertionError",
    f"sha256:{SHA256}",
    "password = get_password(user)",
    "secret = self._secrets.get(name2)",
    "password=config['db2']['password']",
    "password: Optional[str] = None",
    "token = re.compile(r'[A-Z0-9]{4}-\\d+')",
    "secret_key: SecretKeyV2Config",
    "private_key = rsa.generate_private_key(public_exponent=65537, key_size=2048)",
    "token.type === TokenType.Utf8String",
    "auth: OAuth2PasswordBearer",
    "secret: my-app-secret-v2",
    "secretKeyRef: {name: db2-creds, key: password}",
    "key: cluster-role-2a",
    "cache_key = 'user:v2:profile'",
    "token: Annotated[str, Depends(oauth2_scheme)]",
    "credentials: 'same-origin'",
    "docker run -p 127.0.0.1:8080:80 nginx",
    "ssh -p 2222 user@host",
    "curl -H 'Authorization: Bearer $TOKEN' x",
    "token ids: [15496, 11, 995, 0]",
    "tokens=12,345 cost=0.53",
    "pad_token = '<|pad_v2|>'",
    "prompt_tokens=1234 completion_tokens=55",
    'Bearer realm="api"',
    'WWW-Authenticate: Basic realm="Login2"',
    "user: alice2 / role: Admin2b",
    "password for user 'bob2' is wrong",
    "The key is sha256-based",
    "password is PBKDF2-hashed",
    "password must match ^[A-Za-z0-9]{8,}$",
    "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGx5Tj9Q0vBn7KcTy4HdWs9PfGj3Ua6EiOpQwXzCvBnM alice@host",
    "key_fingerprint: 3f:2a:9c:1e:77:b4:d0:a9",
    "checksum=3f2a9c1e77b4d0a9e528",
    "trace_id=3f2a9c1e77b4d0a9e528c1f06a7b8c9d span_id=3f2a9c1e77b4d0a9",
    "key: ${{ runner.os }}-pip-3f2a9c1e77b4",
    "<key>CFBundleVersion2</key>",
    "keyPath: 'items.v2.id'",
    "i18n_key: errors.auth.e401_unauthorized",
    "'password.reset.v2': 'Reset'",
    "password_reset_token_generator = PasswordResetTokenGenerator2()",
    'self.fail_connection(CloseCode.MESSAGE_TOO_BIG, "too many fragments")',
    "token_expiration.strftime('%Y-%m-%dT%H:%M:%SZ')",
    'basalt_scheduler.candidate = "v3.98.4-rc3"',  # no salt
    '"salt": "app:v1:Ed25519"',
    "(pass `asn1Spec` to guide)",
    "'gss_krb5_lucid_key', 'gss_krb5_rfc1964_keydata'",
    'bypass = "Allow2All"',
    'monkey = "Q8ztLw3Rk0Vn"',
    '"authority": "Xq7vL9zt2W81kd"',
    "2 tests pass: Suite2A",
    "const int pin = 1234567;",
    f"Idempotency-Key: {UUID}",
    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==",
    '"AWS::IAM::AccessKey": "2d8d323fdc8efa37"',
    "re.compile('(%s)' % a).group(1), re.compile('((a)|(b))(c)?', key)",
    "password: Int32!",
    "DB_PASSWORD=changeme",
    "ADMIN_PASSWORD=admin_password",
    "DB_PASSWORD=test1234",
    'password = "password123"',
    "connect(DB_PASSWORD=swordfish)",
    'password = "swordfish"',
    "kind: ConfigMap\ndata:\n  api: WjNKcThaTHcwVm4=\n",
)
TABLES = {
    "rising": [*range(64)],
    "falling": [*reversed(range(64))],
    "permuted": Random(3).sample(range(256), 64),
    "small": [Random(5).randrange(99) for _ in range(64)],
    "all": Random(7).sample(range(256), 256),
}
BEFORE, AFTER = "A line before.\n" * 60, "\n" + "A line after.\n" * 40


@all_cases("text", DECOYS)
def test_it_stays(text: str) -> None:
    """Byte for byte, in a short text and in a long one."""
    for whole in (text, f"x\n{text}\ny\n", f"{BEFORE}{text}{AFTER}"):
        assert Redactor()(whole) == whole


@all_cases("table", TABLES)
def test_tables_of_numbers(table: str) -> None:
    """Sixty-four numbers are a key when they are drawn bytes, of which some are equal."""
    text = f"keys: {TABLES[table]}"
    assert Redactor()(text) == text
    drawn = [*Random(9).randbytes(64)]
    assert str(drawn) not in Redactor()(f"keys: {drawn}")


ROWS = [("anna", MADE, "admin"), ("ben", "Zt7#qLm29vXe", "user")]


def csv(sign: str, *head: str) -> str:
    """A table with a sign between its cells."""
    return "".join(sign.join(row) + "\n" for row in (head, *ROWS))


@all_cases(
    "text",
    [
        csv(",", "user", "city", "role"),
        csv(",", "x", "password", "y").replace(MADE, "unchanged").replace(ROWS[1][1], "none"),
        "password, user\n",
        "user,password\n\n" + ",".join(ROWS[0]) + "\n",
        "a password, and a user, are needed\nto log in, ever\n",
    ],
)
def test_what_is_no_column_of_secrets(text: str) -> None:
    """Other headings, words that are no made value, a table that has ended, sentences."""
    assert Redactor()(text) == text
