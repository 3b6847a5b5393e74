"""A second generator: tokens as their providers document them, and places in other languages.

Its words and places were written down apart from `services` and `shown`, from the providers' pages
on their keys and the manuals of languages and tools. It is there to measure, and no rule is made
for what it shows: a share that is held by tuning says nothing of what nobody planted.
"""

from collections.abc import Callable
from random import Random

from tests.kit.secrets.services import framed
from tests.kit.secrets.shapes import Maker, Planted, shapes_of, standing

LEAST = 0.9  # of what is planted, to be found
SEEDS = 4  # of each kind

# Form, and behind a blank how its documents call it.
TOKENS = """
sk-ant-admin01-<urlsafe:93>AA anthropic admin key
ghu_<alnum:36> user access token
ghr_<alnum:76> refresh token
glrt-<urlsafe:20> runner authentication token
glptt-<hex:40> pipeline trigger token
GR1348941<urlsafe:20> runner registration token
xapp-1-A<upnum:10>-<digits:13>-<hex:64> slack app level token
xoxe-1-<urlsafe:140> slack config refresh token
AKIA<base32:16> aws access key id
ASIA<base32:16> aws temporary access key id
GOCSPX-<urlsafe:28> google client secret
dop_v1_<hex:64> digitalocean token
dp.pt.<alnum:43> doppler token
dp.st.dev_personal.<alnum:40> doppler service token
duffel_test_<urlsafe:43> duffel token
FLWSECK_TEST-<hex:32>-X flutterwave secret
fo1_<urlsafe:43> fly token
fio-u-<urlsafe:64> frameio token
gsk_<alnum:52> groq api key
hvs.<urlsafe:95> vault service token
hvb.<urlsafe:150> vault batch token
lin_oauth_<hex:64> linear oauth token
key-<hex:32> mailgun private key
NRAA-<hex:27> new relic admin key
NRII-<urlsafe:32> new relic insert key
nfp_<alnum:36> netlify access token
nvapi-<urlsafe:64> nvidia api key
API-<upnum:26> octopus api key
sk-svcacct-<urlsafe:74>T3BlbkFJ<urlsafe:74> openai service account key
sk-or-v1-<hex:64> openrouter api key
pcsk_<alnum:5>_<alnum:63> pinecone api key
access-sandbox-<uuid> plaid access token
pscale_tkn_<urlsafe:43> planetscale service token
PMAK-<hex:24>-<hex:34> postman api key
pnu_<alnum:36> prefect api key
re_<alnum:8>_<alnum:24> resend api key
shpca_<hex:32> shopify custom app token
shippo_live_<hex:40> shippo token
sq0csp-<urlsafe:43> square client secret
rk_test_<alnum:24> stripe restricted test key
tskey-api-k<alnum:10>CNTRL-<alnum:32> tailscale api key
SK<hex:32> twilio api key sid
tfp_<urlsafe:44> typeform personal token
vercel_blob_rw_<alnum:16>_<alnum:30> vercel blob token
secret_<alnum:43> notion integration secret
sntrys_<base64:120> sentry org token
bkua_<hex:40> buildkite api token
CCIPAT_<alnum:22>_<hex:40> circleci personal token
ABSK<base64:132> bedrock api key
LTAI<alnum:20> alibaba access key id
p8e-<lownum:32> adobe client secret
A3-<upnum:6>-<upnum:6>-<upnum:5>-<upnum:5>-<upnum:5>-<upnum:5> secret key
eyJrIjoi<alnum:72>= grafana legacy api key
<alnum:24> adafruit io key
<hex:32> amplitude secret key
<hex:64> algolia admin api key
<alnum:86> dropbox app refresh token
<hex:40> fastly api token
<lownum:32> lob api secret
<hex:64> matrix shared secret
<alnum:22> mattermost access token
<alnum:20> pagerduty integration key
<alnum:64> snyk auth token
<hex:32> spotify client secret
<uuid> snowflake client secret
<alnum:32> zoom client secret
"""

# Where a token is named: by languages, tools and files that `services` does not write.
NAMED = shapes_of(r"""
val «camel»: String = "«secret»"
let «snake»: &str = "«secret»";
«snake» <- "«secret»"
local «snake» = "«secret»"
«Pascal» := "«secret»"
@«snake» "«secret»"
config :«app», «snake»: "«secret»"
  «snake»: '«secret»'.freeze,
static let «camel» = "«secret»"
Dim «camel» As String = "«secret»"
(def «kebab» "«secret»")
(setq «kebab» "«secret»")
my $«snake» = '«secret»';
%let «snake» = «secret»;
[«app»]⏎«snake» = "«secret»"⏎timeout = 30
[«app»]⏎«snake»=«secret»⏎timeout=30
; settings⏎«Pascal»=«secret»
«snake»     «secret»;
«dotted»: «secret»
<«camel»>«secret»</«camel»>
<entry key="«dotted»">«secret»</entry>
<property name="«camel»" value="«secret»"/>
<key>«Pascal»</key>⏎<string>«secret»</string>
"«Pascal»"="«secret»"
{"key": "«ENV»", "value": "«secret»", "enabled": true}
{"name":"«ENV»","type":"SECRET","value":"«secret»"}
  environment.«ENV» = "«secret»";
Environment="«ENV»=«secret»"
setenv «ENV» "«secret»"
[Environment]::SetEnvironmentVariable("«ENV»", "«secret»")
process.env.«ENV» = '«secret»'
putenv("«ENV»=«secret»");
System.setProperty("«dotted»", "«secret»");
export «ENV» ?= «secret»
  withEnv(['«ENV»=«secret»']) {
fly secrets set «ENV»=«secret» -a «app»
wrangler secret put «ENV» <<< «secret»
terraform apply -var="«snake»=«secret»"
ansible-playbook site.yml -e "«snake»=«secret»"
kubectl set env deploy/«app» «ENV»=«secret»
java -D«dotted»=«secret» -jar «app».jar
aws ssm put-parameter --name /«app»/«kebab» --type SecureString --value «secret»
vault kv put secret/«app» «snake»=«secret»
consul kv put «app»/«snake» «secret»
git config --global «app».«camel» «secret»
«time» INFO config: «camel»="«secret»" region="«region»"
+ export «ENV»=«secret»
- The «words»: **«secret»**
""")

# Where a token stands by its own shape alone.
BARE = shapes_of(r"""
Use «secret» until Friday.
```⏎«secret»⏎```
headers.set("Authorization", "Bearer «secret»")
req.header("Authorization", format!("Bearer {}", "«secret»"))
http GET https://api.«domain»/v1 "Authorization: Bearer «secret»"
client := api.New("«secret»")
$client = new Client('«secret»');
git clone https://oauth2:«secret»@git.«domain»/«company»/«app».git
https://api.«domain»/v1/«app»?token=«secret»
["«uuid»","«secret»"]
error: «secret» is not allowed to push to «app»
""")

# Where a password stands, with a form each of its own.
PASSWORDS = shapes_of(r"""
spring.datasource.hikari.password=⟦<tame>⟧
hibernate.connection.password ⟦<tame>⟧
<connection-string>jdbc:postgresql://«host»/«db»?user=«user»&password=⟦<tame>⟧</connection-string>
<add name="Main" connectionString="Data Source=«host»;User ID=«user»;Password=⟦<tame>⟧" />
config :«app», Repo, username: "«user»", password: "⟦<password>⟧", database: "«db»"
ActiveRecord::Base.establish_connection(adapter: "pg", password: "⟦<password>⟧")
$conn = new mysqli("«host»", "«user»", "⟦<password>⟧", "«db»");
conn <- dbConnect(RPostgres::Postgres(), user = "«user»", password = "⟦<password>⟧")
let pool = PgPool::connect("postgres://«user»:⟦<tame>⟧@«host»/«db»").await?;
Class.forName(d); DriverManager.getConnection(url, "«user»", "⟦<password>⟧");
DATABASES = {'default': {'USER': '«user»', 'PASSWORD': '⟦<password>⟧', 'HOST': '«host»'}}
$cfg['Servers'][1]['password'] = '⟦<password>⟧';
machine «host» login «user» password ⟦<tame>⟧
    environment:⏎      POSTGRES_PASSWORD: ⟦<tame>⟧
stringData:⏎  username: «user»⏎  password: ⟦<tame>⟧
user = "«user»"⏎password = "⟦<password>⟧"⏎[pool]⏎max = 8
bind-dn cn=admin,dc=«word»⏎bind-password ⟦<tame>⟧
authentication: { username: «user», password: "⟦<password>⟧" }
ansible_become_password: "⟦<password>⟧"
  class { 'postgresql': postgres_password => '⟦<password>⟧' }
default['«app»']['db']['password'] = '⟦<password>⟧'
requirepass ⟦<tame>⟧
enable secret 0 ⟦<tame>⟧
set system root-authentication plain-text-password-value ⟦<tame>⟧
CREATE LOGIN «user» WITH PASSWORD = N'⟦<password>⟧';
ALTER USER «user» IDENTIFIED WITH mysql_native_password BY '⟦<password>⟧';
INSERT INTO users (name, email, password) VALUES ('«user»', '«email»', '⟦<password>⟧');
COPY users (name, password) FROM stdin;⏎«user»	⟦<tame>⟧⏎\.
| user | password |⏎|------|----------|⏎| «user» | ⟦<tame>⟧ |
user;password;role⏎«user»;⟦<tame>⟧;admin
psql "postgresql://«user»:⟦<tame>⟧@«host»:5432/«db»"
mysql -h «host» -u «user» -p⟦<tame>⟧ «db»
pg_restore --dbname="host=«host» user=«user» password=⟦<tame>⟧"
curl --user «user»:⟦<tame>⟧ https://«host»/api
net use Z: \\«host»\share ⟦<tame>⟧ /user:«user»
ldapsearch -x -D "cn=admin,dc=«word»" -w ⟦<tame>⟧ -b "dc=«word»"
nmcli dev wifi connect «word» password ⟦<tame>⟧
az login -u «email» -p ⟦<tame>⟧
docker run -e POSTGRES_PASSWORD=⟦<tame>⟧ -d postgres:17
useradd -m «user» && echo "«user»:⟦<tame>⟧" | chpasswd
await page.fill('#password', '⟦<password>⟧')
cy.get('input[name=password]').type('⟦<password>⟧')
assert login("«user»", password="⟦<password>⟧").ok
smtp_pass = ⟦<tame>⟧
The new password for «user» is ⟦<tame>⟧, change it after the first login.
Password (valid 24 h): ⟦<tame>⟧
We set the root password to `⟦<password>⟧` on «host».
PIN/password: «user» / ⟦<tame>⟧
""")


def _tokens() -> dict[str, Maker]:
    """A maker for each token; one that no prefix marks needs a name beside it."""
    rows = [row.partition(" ") for row in TOKENS.strip().splitlines()]
    return {
        f"{names} {form}": framed(form, [names], NAMED if form.startswith("<") else NAMED + BARE)
        for form, _, names in rows
    }


KINDS: dict[str, Maker] = _tokens() | {shape: standing(shape) for shape in PASSWORDS}


def missed(redact: Callable[[str], str]) -> tuple[list[Planted], int]:
    """The secrets a redactor leaves half of, or 16 letters in a row, and how many there are."""
    made = [
        maker(Random(f"{seed}:{kind}")) for kind, maker in KINDS.items() for seed in range(SEEDS)
    ]
    return [one for one in made if _rests(one.secret, redact(one.text))], len(made)


def _rests(secret: str, clean: str) -> bool:
    size = min(len(secret) // 2 + 1, 16)
    return any(secret[at : at + size] in clean for at in range(len(secret) - size + 1))
