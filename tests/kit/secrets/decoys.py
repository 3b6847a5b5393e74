"""Decoys: texts that look like secrets and are none, which must rest byte for byte.

An agent reads placeholders and code about passwords all day, and edits them
by their exact text. A redactor that changes one of them breaks the edit.
"""

from collections.abc import Callable, Iterable
from random import Random

from tests.kit.secrets.shapes import fill, shapes_of

DECOYS = shapes_of(r"""
API_KEY=<your-api-key>
curl -H "Authorization: Bearer <token>" https://api.«domain»/v1/me
password: <PASSWORD>
DB_PASSWORD=${DB_PASSWORD}
mysql -u "$DB_USER" -p"$DB_PASSWORD" «db» < dump.sql
curl -H "Authorization: Bearer $TOKEN" -u "$USER:$PASS" https://«host»
PGPASSWORD="${PGPASSWORD:?not set}" psql -h «host»
echo "$REGISTRY_PASSWORD" | docker login -u ci --password-stdin
export GITHUB_TOKEN=$(gh auth token)
set DB_PASSWORD=%DB_PASSWORD%
$password = $env:DB_PASSWORD
api_key = os.environ["API_KEY"]
password = os.getenv("DB_PASSWORD")
client = OpenAI(api_key=os.environ.get("OPENAI_API_KEY"))
const token = process.env.TOKEN;
apiKey: import.meta.env.VITE_API_KEY,
password: <%= ENV["DB_PASSWORD"] %>
'password' => env('DB_PASSWORD', ''),
token: ${{ secrets.GITHUB_TOKEN }}
db_password: "{{ vault_db_password }}"
spring.datasource.password=@db.password@
password: !vault_ref «app»/db
password: ********
Authorization: Bearer ***
postgres://«user»:***@«host»/«db»
api_key: [REDACTED]
password=••••••••
POSTGRES_PASSWORD=changeme
MYSQL_ROOT_PASSWORD: your_password_here
DATABASE_URL=postgres://user:password@localhost:5432/«db»
amqp://guest:guest@localhost:5672/
redis://:password@localhost:6379/0
AWS Access Key ID [None]: AKIAIOSFODNN7EXAMPLE
OPENAI_API_KEY=sk-...
ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
Authorization: Bearer eyJ...
STRIPE_SECRET_KEY=sk_live_xxxxxxxxxxxx
password: null
password: see 1Password
The password is stored in the vault, ask the platform team for access.
The token is invalid or expired.
Password must be at least twelve characters.
secretName: «app»-tls
secret_name: prod/«app»/database
password: op://Engineering/«app»/password
password_file: /run/secrets/db_password
token_path = "~/.config/«app»/token"
credentials: vault:secret/data/«app»#password
ssh -i ~/.ssh/id_ed25519 deploy@«host»
ssl_certificate_key /etc/ssl/private/«domain».key;
--token TOKEN         the API token (default: $API_TOKEN)
usage: login [-h] [--user USER] [--password PASSWORD] host
docker login --username «user» --password-stdin
[sudo] password for maria:
Enter passphrase for key '/root/.ssh/id_rsa':
remote: Support for password authentication was removed on August 13, 2021.
FATAL:  password authentication failed for user "«user»"
ERROR 1045 (28000): Access denied for user 'root'@'localhost' (using password: YES)
SyntaxError: Unexpected token '<', "<!DOCTYPE "... is not valid JSON
KeyError: 'API_KEY'
password_label: "Mot de passe"
"passwordHint": "Mindestens zwölf Zeichen",
token?: string | null;
apiKey: z.string().min(20),
def __init__(self, token: str | None = None, api_key: str = "") -> None:
password: SecretStr = Field(min_length=12)
class PasswordResetToken(Model):
password = request.form["password"]
password = getpass.getpass("Password: ")
secret = secrets.token_urlsafe(32)
api_key = settings.api_key.get_secret_value()
client = Client(token=self.token, secret=self._secret)
headers = {"Authorization": f"Bearer {token}"}
axios.get(url, { headers: { Authorization: `Bearer ${token}` } })
db, err := sql.Open("postgres", fmt.Sprintf("user=%s password=%s", user, password))
hashed = bcrypt.hashpw(password.encode(), bcrypt.gensalt(rounds=12))
user.password = make_password(form.cleaned_data["password1"])
$hash = password_hash($password, PASSWORD_BCRYPT, ['cost' => 12]);
while token.type != TokenType.EOF:
PASSWORD_MIN_LENGTH = 12
token_count=1234567
TOKEN_EXPIRY_SECONDS=86400
PasswordAuthentication no
require_password: true
skip_credentials_validation = true
allow_token_refresh=yes
key = f"session:{user_id}:{version}"
queryKey: ['invoices', customerId],
AUTH_COOKIE_NAME = "session_token"
localStorage.removeItem('access_token')
SECRET_ENV_NAME = "DATABASE_PASSWORD"
TOKEN_IDENTIFIER = "identifier"
grant_type=client_credentials
{ token: 'keyword.operator', foreground: '569cd6' }
--token-color-primary: #3b82f6;
"color.background.danger.token": "#ffebe6"
<div class="sk-circle sk-fading-circle sk-child-of-spinner-animation">
.sk-folding-cube-with-four-children-animated { margin: 20px auto; }
<input type="password" name="password" autocomplete="current-password">
<input type="hidden" name="csrfmiddlewaretoken">
xsrfHeaderName: 'X-XSRF-TOKEN',
TOKEN = re.compile(r"ghp_[A-Za-z0-9]{36}")
regex: '(?i)password\s*[:=]\s*\S+'
"pattern": "^sk_(live|test)_[0-9a-zA-Z]{24,}$"
"password": { "type": "string", "minLength": 12, "writeOnly": true },
t.string "encrypted_password", default: "", null: false
token = models.CharField(max_length=64, unique=True)
SELECT id, password_hash, token_expires_at FROM users WHERE token = $1;
UPDATE users SET password = crypt(:password, gen_salt('bf'));
from app.security.passwords import PasswordPolicy, hash_password
require 'openssl/pkey/private_key_helpers'
test_password_reset_token_expires_after_one_hour PASSED
FAILED tests/auth/test_tokens.py::test_bearer_token_is_required - assert 200 == 401
src/components/PasswordResetForm/PasswordResetForm.stories.tsx
import token from "@babel/parser/lib/tokenizer/context-update-expression.js"
https://docs.«domain»/guides/authentication/api-keys-and-access-tokens
tokenUrl: https://auth.«domain»/realms/main/protocol/openid-connect/token
git@github.com:«company»/«app».git
The author of the password manager wrote: a passphrase of five words is enough.
- **Password rotation**: every 90 days, see the runbook.
!function(e,t){"use strict";var n=t.token||function(e){return e.k?e.k.v:0};e.n=n}(this,{});
var a=b.password,c=function(d){return d.secret===a?f(d.key):null};module.exports={a:a,c:c}
AbstractAuthenticationTokenProcessingFilterConfigurerAdapterFactoryBean
_ZN4core3ptr85drop_in_place$LT$std..rt..lang_start$LT$$LP$$RP$$GT$17h«hex16»E
aws_access_key_id = AKIAIOSFODNN7EXAMPLE⏎
aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY
API_KEY=⏎DB_PASSWORD=""
env:⏎- name: DB_PASSWORD⏎  valueFrom:⏎    secretKeyRef:⏎      name: «app»-db⏎      key: password
imagePullSecrets:⏎- name: registry-credentials
  -p, --password string   password for the registry⏎
      --password-stdin    take the password from stdin
"login.password": "Password:",⏎"login.forgot": "Passwort vergessen?"
msgid "Password:"⏎msgstr "Contraseña:"
api_key:⏎  type: string⏎  description: the key of the tenant
""")


def changed(redact: Callable[[str], str], seeds: Iterable[int] = (1, 2, 3)) -> list[str]:
    """The decoys a redactor does not give back as they were, for each seed in turn."""
    made = (fill(shape, chance, {}) for chance in map(Random, seeds) for shape in DECOYS)
    return [decoy for decoy in made if redact(decoy) != decoy]
