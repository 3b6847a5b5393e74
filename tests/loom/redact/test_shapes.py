"""Secrets in the shapes of many files, languages and tools are found."""

from __future__ import annotations

from base64 import b64encode
from random import Random
from textwrap import wrap

from loom.redact import Redactor
from tests.kit.cases import all_cases

# Passwords as a shell takes them bare, and with signs; a token.
BARE, STRONG = "Vq7mLz2kTw9RxB", "gT4!vN8#pWz2eK"
TOKEN = "q8Zr2LmX0vBn7KcTy4HdWs9PfGj3Ua6E"
YEAR = "Winter2024!"  # a word, a year and a sign

REDACT = Redactor()
JSON_LINE = '{"level":"info","msg":"' + "all went well with this part of it; " * 10
# Name: (the text around it, `@@` where the secret stands, the secret).
SHAPES = {
    "nix": ('services.matrix.settings.registration_shared_secret = "@@";', TOKEN),
    "hcl-block": ('basic_auth {\n  username = "ci"\n  password = "@@"\n}', STRONG),
    "c-define": ('#define DB_PASSWORD "@@"', STRONG),
    "c-array": ('static const char wifi_password[] = "@@";', STRONG),
    "objc": ('NSString *apiKey = @"@@";', TOKEN),
    "edn": ('{:db {:user "app" :password "@@"}}', STRONG),
    "perl-q": ("password => q{@@},", BARE),
    "powershell": ('[string]$Password = "@@"', STRONG),
    "ansible-inventory": ("web1 ansible_host=10.0.0.4 ansible_user=ops ansible_ssh_pass=@@", BARE),
    "ci-variable": (
        'variables:\n  DB_PASSWORD:\n    value: "@@"\n    description: "of the database"',
        STRONG,
    ),
    "cfn-key": ('[{"ParameterKey": "DBPassword", "ParameterValue": "@@"}]', BARE),
    "rds": (
        "aws rds create-db-instance --db-instance-identifier x --master-user-password @@",
        BARE,
    ),
    "chpasswd": ('chpasswd <<< "deploy:@@"', BARE),
    "cifs": ("mount -t cifs //fs1/share /mnt -o username=eve,password=@@,uid=1000", BARE),
    "ipmi": ("ipmitool -I lanplus -H 10.0.0.9 -U admin -P @@ power status", BARE),
    "jdbc-get": ('DriverManager.getConnection("jdbc:mysql://db1/shop", "shop", "@@");', STRONG),
    "go-struct": (
        'redis.NewClient(&redis.Options{Addr: "r1:6379", Password: "@@", DB: 0})',
        STRONG,
    ),
    "nginx": ('proxy_set_header Authorization "Basic @@";', "c3ZjX2FwcDpWcTdtTHoya1R3OVJ4Qg=="),
    "apache": ('AuthLDAPBindPassword "@@"', STRONG),
    "ldif": ("dn: uid=eve,ou=people,dc=acme\nuserPassword: @@", BARE),
    "http-file": ("@authToken = @@\nGET {{host}}/me", TOKEN),
    "har": ('{"name": "Authorization", "value": "Bearer @@"}', TOKEN),
    "dataclass": ('password: str = field(default="@@")', STRONG),
    "update-sql": ("UPDATE users SET password = '@@' WHERE name = 'bob';", STRONG),
    "replica": (
        "CHANGE MASTER TO MASTER_HOST='db1', MASTER_PASSWORD='@@', MASTER_PORT=3306;",
        STRONG,
    ),
    "localstorage": ("localStorage.setItem('access_token', '@@');", TOKEN),
    "selenium": ('driver.find_element(By.ID, "password").send_keys("@@")', STRONG),
    "yaml-folded": ("api_token: >-\n  @@", TOKEN),
    "csharp-init": ('new NetworkCredential("eve", "@@")', STRONG),
    "json5": ("{ apiSecret: '@@', }", TOKEN),
    "graphql-var": ('mutation { login(email: "a@b.c", password: "@@") { token } }', STRONG),
    "js-or": ("const p = { password: process.env.X || '@@' }", STRONG),
    "py-or": ("password = os.environ.get('X') or '@@'", STRONG),
    "yaml-block": ("password: |2-\n  @@", STRONG),
    "yaml-tag": ('password: !!str "@@"', STRONG),
    "tf-plan": ('~ password = "Hx3nQd8sWp5LzT" -> "@@"', STRONG),
    "cdata": ("<password><![CDATA[@@]]></password>", STRONG),
    "echo-sudo": ("echo '@@' | sudo -S apt install x", STRONG),
    "long-json": (
        JSON_LINE + '","password":"@@"}',
        STRONG,
    ),
    "pgpass-json": ('{"stdout": "db1:5432:orders:app:@@\\n"}', BARE),
    "pgpass-grep": ("/root/.pgpass:3:db1.internal:5432:orders:app:@@", BARE),
    "tfdef-diff": ('+variable "admin_password" {\n+  type = string\n+  default = "@@"\n+}', STRONG),
    "tfdef-num": ('12: variable "admin_password" {\n13:   default = "@@"\n14: }', STRONG),
    "qp2": ("DB_PASSWORD=3D@@", STRONG),
    "parentheses": ("DB_PASSWORD='@@'", "Xq7(vL9)zt2W"),
    "django": ("SECRET_KEY = '@@'", "w5(k#8)1zq&^lo@v9=+mdn(y!jp*hbrtu$gce%ai_s"),
    "sign-yaml": ("password: @@", YEAR),
    "sign-env": ("DB_PASSWORD=@@", YEAR),
}
APR1, BCRYPT = "7hG5rTq9wVn3LmXc0Zs8P.", "KIXQJ8zL2mN0pR4sT6uV8eW1xY3zA5bC7dE9fG1hI3jK5lM7nO9pQ"
SHA = "w3Rk0VnXy6HsP2mDc9Bq8ZtLw3Rk0VnXy6HsP2mDc9Bq8ZtLw3Rk0VnXy6HsP2mDc9Bq8ZtLw3Rk0VnXy6Hs1."
SHAPES |= {
    "default-of-shell": ("API_KEY=${API_KEY:-@@}", TOKEN),
    "auth-pair": ('requests.get(url, auth=("bob", "@@"))', "Kq8!z2Lm0x"),
    "curl-cookie": ('curl --cookie "sessionid=@@" https://x.dev', "q8ZtLw3Rk0VnXy6Hs"),
    "csrf-cookie": ("Cookie: csrftoken=@@; lang=de", TOKEN),
    "apr1": ("bob:$apr1$x2kQ8z1L$@@", APR1),
    "shadow": ("root:$6$Zq8xK2mL$@@:19000:0:99999:7:::", SHA),
    "bcrypt": ("$2b$12$@@", BCRYPT),
    "kube-literal": ("kubectl create secret generic x --from-literal=conn=@@", "Kq8z2Lm0x"),
    "key-in-query": ("https://x.dev/v1?key=@@&a=b", "Zx81Qwerty77"),
}
LONG = "A line of no matter stands here.\n" * 60


@all_cases("shape", SHAPES)
def test_it_is_found(shape: str) -> None:
    """Nothing of the secret stays, in a short text and in a long one."""
    form, secret = SHAPES[shape]
    text = form.replace("@@", secret)
    for before, after in (("", ""), ("Read:\n", "\ndone\n"), (LONG, f"\n{LONG}")):
        assert secret not in REDACT(before + text + after)


BODY = "\n".join(wrap(b64encode(Random(11).randbytes(1192)).decode(), 64))
PEM = f"-----BEGIN RSA PRIVATE KEY-----\n{BODY}\n-----END RSA PRIVATE KEY-----"


def test_a_key_in_colours() -> None:
    """The key of a cluster, its name and its value coloured."""
    data = b64encode(PEM.encode()).decode()
    shown = f"\x1b[34mclient-key-data\x1b[0m: \x1b[32m{data}\x1b[0m"
    assert data[80:120] not in REDACT(shown)
