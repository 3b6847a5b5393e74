"""Tokens of model providers, code hosts, registries and services: the form of each, its names.

A token of PREFIXED may stand bare; one of UNMARKED is told by the name beside it alone.
"""

from random import Random

from tests.kit.secrets.draws import drawn
from tests.kit.secrets.shapes import Maker, Planted, fill, shapes_of

NAMED = shapes_of(r"""
export «ENV»=«secret»
«ENV»="«secret»"
# «app», «stage»⏎LOG_LEVEL=info⏎«ENV»=«secret»⏎PORT=«port»
«snake»: «secret»
  «app»:⏎    region: «region»⏎    «camel»: "«secret»"
{"«camel»": "«secret»", "timeout": 30}
  "«snake»" : "«secret»",
const «camel» = '«secret»';
    «ENV» = "«secret»"  # TODO move to the vault
        env:⏎        - name: «ENV»⏎          value: «secret»
ENV «ENV» «secret»
$env:«ENV» = '«secret»'
set «ENV»=«secret»
set -gx «ENV» «secret»
-«ENV»=⏎+«ENV»=«secret»
src/«app»/settings.py:«n»:    «snake»="«secret»",
  «n»→«ENV»=«secret»
     «n»	«camel»: '«secret»',
heroku config:set «ENV»=«secret» --app «app»-«stage»
gh secret set «ENV» --body "«secret»"
docker run --rm -e «ENV»=«secret» -p «port»:80 «company»/«app»:1.4
| `«ENV»` | `«secret»` | «stage» |
<add key="«Pascal»" value="«secret»" />
private static final String «ENV» = "«secret»";
«dotted»=«secret»
variable "«snake»" {⏎  type    = string⏎  default = "«secret»"⏎}
level=debug time=«time» msg="loaded settings" «snake»=«secret» region=«region»
2026-03-02T«time»Z DEBUG request body: {\"«snake»\":\"«secret»\",\"retry\":false}
./bin/«app» sync --«kebab»=«secret» --since 2d
./bin/«app» sync --«kebab» '«secret»'
define('«ENV»', '«secret»');
  '«snake»' => '«secret»',
	«Pascal»: "«secret»",
our «words» for «stage»: «secret»
the «words» is `«secret»`, it has write access
""")
BARE = shapes_of(r"""
here is the one for «stage», please don't commit it: «secret»
«secret»
curl -s -H "Authorization: Bearer «secret»" https://api.«domain»/v1/«app»
curl https://api.«domain»/v2/«app» -H 'X-Api-Key: «secret»'
> Authorization: Bearer «secret»⏎> Accept: */*
«time» WARN  auth failed for token «secret» (401), retrying
client = Client("«secret»", timeout=20)
$ cat ~/.config/«app»/token⏎«secret»
DEBUG urllib3: headers={'Authorization': 'Bearer «secret»', 'Accept': 'application/json'}
Error: request to https://api.«domain»/v1/me?access=«secret» failed with 403
["«id8»", "«secret»", 3600]
""")
PREFIXED = """
ya29.a0<urlsafe:170> access token, gcp token
<jwt> access token, id token, service token
AQE<base64:82>-<base64:43>= adyen api key
pat<alnum:14>.<hex:64> airtable token
sk-ant-api03-<urlsafe:93>AA anthropic api key
AKCp<alnum:69> artifactory api key, jfrog api key
K00<digits:1><base64:27> b2 application key
access_token$production$<lownum:16>$<hex:32> braintree access token
xkeysib-<hex:64>-<alnum:16> brevo api key
cio<alnum:32> cargo registry token
gldt-<urlsafe:20> ci deploy password
sk-ant-oat01-<urlsafe:93>AA claude code oauth token
sk_live_<alnum:50> clerk secret key
dapi<hex:32> databricks token
sk-<hex:32> deepseek api key
MT<alnum:24>.G<urlsafe:5>.<urlsafe:38> discord token, bot token
dckr_pat_<urlsafe:27> docker password, hub token
sl.B<urlsafe:136> dropbox access token
dt0c01.<base32:24>.<base32:64> dt api token
EAA<alnum:180> fb access token, page access token
figd_<urlsafe:40> figma token
gho_<alnum:36> github oauth token
github_pat_<alnum:22>_<alnum:59> github pat
ghs_<alnum:36> github token
ghp_<alnum:36> github token, gh token, gh pat
glpat-<urlsafe:27>.01.<lownum:9> gitlab token
glpat-<urlsafe:20> gitlab token, gitlab private token
AIza<urlsafe:35> google api key, gemini api key, youtube key
glc_eyJvIjoi<alnum:96> grafana cloud api key
glsa_<alnum:32>_<hex:8> grafana token
HRKU-<uuid> heroku api key
hf_<alnum:34> hf token, hugging face hub token
pat-na1-<uuid> hubspot access token
dG9rOj<alnum:52>= intercom access token
sk-lf-<uuid> langfuse secret key
lsv2_pt_<hex:32>_<hex:10> langsmith api key
lin_api_<alnum:40> linear api key
<hex:32>-us<digits:2> mailchimp api key
sk.eyJ1Ijoi<alnum:60>.<urlsafe:22> mapbox token
napi_<lownum:64> neon api key
NRAK-<upnum:27> new relic api key
ntn_<digits:11><alnum:35> notion token, notion api key
npm_<alnum:36> npm token, node auth token
oy2<lownum:43> nuget api key
sk-proj-<urlsafe:74>T3BlbkFJ<urlsafe:74> openai api key, openai key
sk-<alnum:20>T3BlbkFJ<alnum:20> openai key
pdl_live_apikey_01<lownum:24>_<alnum:22>_<alnum:3> paddle api key
pplx-<alnum:48> perplexity api key
pscale_pw_<urlsafe:43> planetscale password, database password
phx_<alnum:43> posthog personal api key
pul-<hex:40> pulumi access token
pypi-AgEIcHlwaS5vcmc<urlsafe:150> pypi token, twine password
rnd_<alnum:28> render api key
r8_<alnum:37> replicate api token
RGAPI-<uuid> riot api key
rubygems_<hex:48> rubygems api key, gem host api key
SG.<urlsafe:22>.<urlsafe:43> sendgrid api key, smtp password
sntryu_<hex:64> sentry auth token
shpat_<hex:32> shopify access token, shopify api password
shpss_<hex:32> shopify access token, shopify api password
xoxb-<digits:12>-<digits:13>-<alnum:24> slack bot token
xoxp-<digits:12>-<digits:12>-<digits:13>-<hex:32> slack token, slack user token
squ_<hex:40> sonar token
AGE-SECRET-KEY-1<bech32:58> sops age key
rk_live_51<alnum:97> stripe restricted key
sk_live_<alnum:24> stripe secret key, stripe api key
sk_live_51<alnum:97> stripe secret key, stripe api key
whsec_<alnum:32> stripe webhook secret
sbp_<hex:40> supabase access token
<jwt> supabase service role key
SWMTKN-1-<lownum:50>-<lownum:25> swarm join token
tskey-auth-k<alnum:10>CNTRL-<alnum:32> tailscale authkey, ts authkey
<digits:10>:AA<urlsafe:33> telegram bot token, tg token
<alnum:14>.atlasv1.<alnum:67> tfe token, terraform cloud token
tfp_<alnum:44>_<alnum:14> typeform token
hvs.CAESI<urlsafe:90> vault token
xai-<alnum:80> xai api key, grok key
"""
UNMARKED = """
<alnum:30> alicloud secret key, oss access key secret
<lower:4>-<lower:4>-<lower:4>-<lower:4> apple app specific password, notarytool password
1/<digits:16>:<hex:32> asana access token
<urlsafe:64> auth0 client secret
<base64:40> aws secret access key, aws secret key, s3 secret key
<alnum:3>8Q~<urlsafe:34> azure client secret, arm client secret
<lownum:52> azure devops ext pat, system accesstoken
<hex:32> azure openai api key, cognitive services key
<bytes:64> azure storage key, storage account key
<alnum:64> binance api secret, binance secret key
<hex:37> cloudflare api key, cf global api key
<urlsafe:40> cloudflare api token, cf api token
<uuid> codecov token
<alnum:40> cohere api key, co api key
<base64:64> confluent cloud api secret, kafka api secret
<uuid> consul http token, nomad token
<hex:32> dd api key, datadog api key
<bytes:45> elastic api key, es apikey
<lower:16> gmail app password, smtp password, email host password
<digits:8> hsm pin, pkcs11 pin, luna partition pin
<bytes:64> influx token, influxdb admin token
<bytes:48> jwt secret, jwt signing key, token signing secret
<uuid> keycloak client secret, oidc client secret
<hex:32>-<hex:8>-<hex:8> mailgun api key
<alnum:6>_<alnum:29>_mmk maxmind license key
<alnum:32> mistral api key
<hex:36>FFFFNRAL new relic license key
<alnum:16> nexmo api secret, vonage api secret
2<alnum:26>_<alnum:21> ngrok authtoken
00<urlsafe:40> okta api token
u+<urlsafe:18> pagerduty api token
E<urlsafe:79> paypal client secret, paypal secret
<hex:30> plaid secret
<uuid> postmark server token, postmark api token
6L<urlsafe:38> recaptcha secret key, recaptcha secret
<base32:26> recovery secret, account recovery key
<HEX:32> steam web api key
<base32:32> totp secret, mfa secret, otp seed
<urlsafe:22> travis api token
ATTA<hex:64><hex:8> trello token
eyJhIjoi<alnum:160> tunnel token, cloudflared token
<hex:32> twilio auth token
<alnum:50> twitter consumer secret, x api secret
AX<alnum:66>= upstash redis rest token
s.<alnum:24> vault token
<bytes:33> vault unseal key, unseal key 1
<alnum:24> vercel token
<hex:40> wandb api key
<bytes:20> yubico secret key
"""


def framed(form: str, names: list[str], frames: tuple[str, ...]) -> Maker:
    """A maker of a token of a form under one of its names, in one of the frames."""

    def made(chance: Random) -> Planted:
        secret = drawn(form, chance)
        slots = {**_spelt(chance, chance.choice(names)), "secret": secret}
        return Planted(fill(chance.choice(frames), chance, slots), secret)

    return made


def _spelt(chance: Random, name: str) -> dict[str, str]:
    """A name of some words as languages and files would write it, by the slot of each style."""
    words = name.split()
    capital = [part.title() for part in words]
    return {
        "ENV": "_".join(words).upper(),
        "snake": "_".join(words),
        "kebab": "-".join(words),
        "dotted": ".".join(words),
        "camel": words[0] + "".join(capital[1:]),
        "Pascal": "".join(capital),
        "words": chance.choice((" ".join(words), " ".join(capital))),
    }


def _kinds(table: str, frames: tuple[str, ...]) -> dict[str, Maker]:
    """A maker for each row: a form, and behind a blank the names it goes by."""
    rows = (row.partition(" ") for row in table.strip().splitlines())
    return {f"{names} {form}": framed(form, names.split(", "), frames) for form, _, names in rows}


KINDS: dict[str, Maker] = _kinds(PREFIXED, NAMED + BARE) | _kinds(UNMARKED, NAMED)
