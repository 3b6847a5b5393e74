r"""Tokens whose providers gave them a shape: prefix, length and alphabet.

Kinds have the ids that gitleaks has for them, where it has one; what they match was written anew
from the providers' formats, as they publish them: their pages on API keys, and what they gave
GitHub's "Supported secret scanning patterns"; looked at again in November 2026, when these were
new: Google's `AQ.` ("Using Gemini API keys"; `AIza` ends in September 2026), GitHub's `ghs_` with
a JWT in it (changelog of 2026-04-24), Cloudflare's `cfk_ cfut_ cfat_` ("Token formats"), Supabase's
`sbp_oauth_` and `sbp_v0_`, Firecrawl's `fc-`. A row is a kind and a pattern; `@a` is a letter or
digit, `@w` one of URLs, `@h` of hexadecimal digits.
"""

from __future__ import annotations

import re

from loom.redact.likely import is_made, is_token
from loom.redact.rule import SecretRule

# Letters of both cases and a digit, or twelve of either on end with a digit among them: no name.
_RANDOM = (
    r"(?=[A-Za-z_-]{0,199}+[0-9])(?:(?=[a-z0-9_-]{0,199}+[A-Z])(?=[A-Z0-9_-]{0,199}+[a-z])"
    r"|(?=[A-Za-z0-9_-]{0,188}?(?=[A-Za-z]{0,11}+[0-9])[A-Za-z0-9]{12}))"
)
_WORDS = {
    "random": _RANDOM,
    "uuid": "[a-f0-9]{8}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{4}-[a-f0-9]{12}",
    "w": "[A-Za-z0-9_-]",
    "a": "[A-Za-z0-9]",
    "h": "[a-f0-9]",
}
_ROWS = r"""
1password-secret-key A3-[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){4,5}
1password-service-account-token ops_eyJ[A-Za-z0-9+/_-]{100,2000}={0,3}
adobe-client-secret p8e-[a-z0-9]{32}
age-secret-key AGE-SECRET-KEY-1[0-9A-Z]{50,60}
airtable-personal-access-token pat@a{14}\.@h{64}
alibaba-access-key-id LTAI@a{16,20}
anthropic-api-key sk-ant-[a-z]{2,10}\d\d-@w{40,120}
artifactory-api-key AKCp@a{60,72}|cmVmd@a{55,62}
asana-personal-access-token [012]/\d{12,20}(?:/\d{12,20})?:@h{32}
atlassian-api-token AT[AC]TT3@w{40,250}={0,2}(?:[A-F0-9]{8})?
aws-amazon-bedrock-api-key ABSK[A-Za-z0-9+/]{100,280}={0,2}
aws-mws-token amzn\.mws\.@uuid
amazon-oauth-client-secret amzn1\.oa2-cs\.v1\.@h{64}
buildkite-api-token bkua_@a{32,64}|bkat_@a{32,64}
cerebras-api-key csk-@a{40,60}
circleci-token CCIPAT_@a{20,30}_@h{40}
clojars-api-token CLOJARS_[a-z0-9]{60}
cloudflare-origin-ca-key v1\.0-@h{24}-@h{146}
cloudflare-api-token cf(?:k|[ua]t)_@a{40,60}
cloudinary-url cloudinary://\d{10,20}:@w{20,40}
crates-io-token cio@a{32}
databricks-api-token dapi@h{32}(?:-\d)?
defined-networking-api-token dnkey-[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}
digitalocean-access-token do[opr]_v1_@h{64}
docker-hub-token dckr_[po]at_@w{20,40}
doppler-api-token dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?@a{40,44}
duffel-api-token duffel_(?:test|live)_[A-Za-z0-9_=-]{43}
dynatrace-api-token dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}
easypost-api-token EZ[AT]K@a{54}
facebook-access-token EAA[A-Za-z]@a{80,400}
figma-token fig[dou]r?_@w{40,50}
flutterwave-secret-key FLWSECK(?:_TEST)?-@a{32}-X|FLWSECK_TEST-@a{12}
flyio-access-token fo1_@w{43}
flyio-access-token fm[12][ar]?_[A-Za-z0-9+/]{60,2000}={0,3}
frameio-api-token fio-u-[A-Za-z0-9_=-]{64}
firecrawl-api-key fc-@h{32}
gcp-api-key AIza@w{35}|AQ\.A@w{40,120}
gcp-oauth-client-secret GOCSPX-@w{28}
gcp-oauth-access-token ya29\.[A-Za-z0-9._-]{20,2000}
gcp-oauth-refresh-token 1//0[A-Za-z0-9]@w{38,200}
github-token gh[pousr]_(?:@a{36,255}|\d{1,12}_eyJ[A-Za-z0-9._-]{60,2000})
github-fine-grained-pat github_pat_[A-Za-z0-9_]{22,255}
gitlab-token gl(?:pat|[dfr]t|rtr|ptt|soat|cbt|imt|agent|oas|ffct)-(?:t\d_)?@w{20,}(?:\.[0-9a-z.]+)?
gitlab-runner-registration-token GR1348941@w{20}
grafana-token glc_[A-Za-z0-9+/]{32,400}={0,3}
grafana-token glsa_@a{32}_[A-Fa-f0-9]{8}
groq-api-key gsk_@a{40,60}
harness-api-key [ps]at\.@w{22}\.@h{24}\.@a{20}
heroku-api-key HRKU-@w{36,64}
hubspot-private-app-token pat-(?:na|eu|ap)\d-@uuid
huggingface-access-token hf_@a{30,40}|api_org_@a{34}
infracost-api-token ico-@a{32}
jwt eyJ@w{10,1000}+\.eyJ@w{10,}+(?:\.@w{10,}+)?
jwe eyJ@w{10,1000}+\.@w{0,1000}+(?:\.@w{10,4000}+){3}
langsmith-api-key lsv2_(?:pt|sk)_@h{32}_@h{10}
linear-api-key lin_(?:api|oauth)_@a{32,64}
mailgun-token key-@h{32}
mapbox-api-token sk\.eyJ@w{40,400}\.@w{20,40}
meraki-or-neon-api-key napi_@a{40,80}
netlify-access-token nf[pcoub]_@a{30,60}
new-relic-key NR(?:AK|AA|II|IQ|RA|JS|BR|SP)-@w{19,48}
notion-api-token ntn_@a{40,50}|secret_@a{43}
npm-access-token npm_@a{36}
nuget-api-key oy2[a-z0-9]{43}
nvidia-api-key nvapi-@w{50,80}
octopus-deploy-api-key API-[A-Z0-9]{26,40}
openai-api-key sk-@w{16,100}T3BlbkFJ@w{16,100}
openshift-user-token sha256~@w{43}
paypal-access-token access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$@h{32}
perplexity-api-key pplx-@a{40,60}
pinecone-api-key pcsk_@a{4,8}_@a{40,80}
plaid-api-token access-(?:sandbox|development|production)-@uuid
planetscale-token pscale_(?:tkn|pw|oauth|api)_[A-Za-z0-9_=.-]{32,64}
posthog-api-key ph[xcs]_@a{40,50}
postman-api-token PMAK-@h{24}-@h{34}
prefect-api-token pnu_[a-zA-Z0-9]{36}
pulumi-api-token pul-@h{40}
pypi-upload-token pypi-A@w{50,1000}
readme-api-token rdme_[a-z0-9]{60,80}
render-api-key rnd_@a{28,40}
replicate-api-token r8_@a{37}
resend-api-key re_@a{6,10}_@a{20,30}
rubygems-api-token rubygems_@h{48}
salesforce-access-token 00D@a{12,15}![A-Za-z0-9._]{80,120}
scalingo-api-token tk-us-@w{48}
sendgrid-api-token SG\.[A-Za-z0-9_=-]{16,32}\.[A-Za-z0-9_=-]{39,50}
sendinblue-api-token x(?:key|smtp)sib-@h{64}-@a{16}
sentry-token sntry[su]_[A-Za-z0-9_=+/-]{40,400}
shippo-api-token shippo_(?:live|test)_@h{40}
shopify-token shp(?:at|ca|pa|ss|tka|ua)_@a{32,64}
slack-token xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,250}|xapp-\d-[A-Z0-9]+-\d+-@a{20,100}
sonar-api-token sq[upa]_@a{40}
sourcegraph-access-token sgp_(?:(?:@h{16}|local)_)?@h{40}
square-access-token EAAA@w{60}|sq0[a-z]{3}-@w{22,60}
stripe-access-token [rs]k_(?:live|test|prod)_@a{10,200}
stripe-webhook-secret whsec_[A-Za-z0-9+/]{24,64}={0,2}
supabase-token sbp_(?:[a-z]\w{1,5}_)?@h{40}
supabase-token sb_secret_@w{20,60}
tailscale-key tskey-[a-z]{3,10}-@a{8,24}-@a{16,64}
tavily-api-key tvly-@w{28,60}
together-api-key tgp_v\d_@w{40,60}
twilio-api-key SK@h{32}
typeform-api-token tfp_[A-Za-z0-9_.=-]{40,64}
vault-token hv[sbr]\.@w{24,300}
vercel-token vc[aikpr]_@a{24,64}
wallet-private-key xprv[1-9A-HJ-NP-Za-km-z]{100,112}
xai-api-key xai-@a{70,90}
yandex-token AQVN@w{35,38}
yandex-token YC@w{38}|y[0-3]_@w{55,60}
trello-token ATTA@h{60,80}
dropbox-token sl\.(?:u\.)?@w{100,2000}
docker-swarm-token SWMTKN-1-[a-z0-9]{40,60}-[a-z0-9]{20,30}
elevenlabs-api-key sk_@h{40,64}
honeycomb-key hc[a-z]ik_@a{40,64}
contentful-token CFPAT-@w{40,50}
mailersend-token mlsn\.@h{60,70}
adyen-api-key AQE[A-Za-z0-9+/]{60,200}={0,2}-[-=A-Za-z0-9+/]{16,200}
solana-or-near-key ed25519:[1-9A-HJ-NP-Za-km-z]{60,90}
api-key sk-@random[A-Za-z0-9_-]{24,200}
"""

# Which other letters may stand before.
_INSIDE = r"""
azure-ad-client-secret [A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}
azure-function-key @w{44,46}AzFu@w{6}={0,2}
discord-api-token [MNO](?<![A-Za-z0-9_-][MNO])@w{22,27}\.@w{6}\.@w{27,40}
hashicorp-tf-api-token @a{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}
mailchimp-api-key @h{32}-us\d{1,2}
mailgun-token @h{32}-@h{8}-@h{8}
maxmind-license-key @a{6}_@a{29}_mmk
new-relic-key @h{36}NRAL
telegram-bot-api-token \d{6,16}:A@w{34}
api-key (?!pk_)[a-z]{2,12}_(?:live|prod|secret|sec|key)_(?=[A-Za-z]*\d)@a{24,80}
"""


def _shaped(table: str, before: str) -> list[SecretRule]:
    """A rule for each row of a table."""
    rows = [row.partition(" ") for row in table.strip().splitlines()]
    return [
        SecretRule(kind, f"{before}(?:{_word(pattern)})(?![A-Za-z0-9])", is_token)
        for kind, _, pattern in rows
    ]


def _word(pattern: str) -> str:
    return re.sub("@(random|uuid|w|a|h)", lambda found: _WORDS[found[1]], pattern)


TOKENS: tuple[SecretRule, ...] = (
    *_shaped(_ROWS, "(?<![A-Za-z0-9])"),
    *_shaped(_INSIDE, ""),
    SecretRule(  # its own alphabet decides where it ends
        "aws-access-token",
        r"(?<![A-Z0-9])(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}(?![A-Z0-9])",
        is_token,
    ),
    SecretRule(  # of a Vault before 1.10; in code, `s.` is before the names of methods too
        "vault-token",
        r"(?<![A-Za-z0-9])s\.(?P<secret>[A-Za-z0-9]{24})(?![A-Za-z0-9(])",
        lambda lead, value: is_made(value, 0.4, 24) and sum(map(str.isdigit, value)) > 0,
    ),
)
