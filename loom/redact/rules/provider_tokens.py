"""Rules for tokens whose providers gave them a shape: prefix, length and alphabet.

A kind has the id that gitleaks has for it, if any. The patterns were written anew from the formats
that providers publish: on their pages on API keys, and in GitHub's "Supported secret scanning
patterns". In November 2026 they were checked again; new by then were: Google's `AQ.` ("Using Gemini
API keys"; `AIza` ends in September 2026), GitHub's `ghs_` with a JWT in it (changelog of
2026-04-24), Cloudflare's `cfk_ cfut_ cfat_` ("Token formats"), Supabase's `sbp_oauth_` and
`sbp_v0_`, Firecrawl's `fc-`.

Each tuple of the table is (kind, pattern, keywords). Each match begins with one of the keywords;
one written with a star (`*Q~`) may be anywhere in the match."""

from __future__ import annotations

from loom.redact.likely_secrets import is_provider_token, is_random_looking
from loom.redact.secret_rule import SecretRule

_W = "[A-Za-z0-9_-]"
_A = "[A-Za-z0-9]"
_H = "[a-f0-9]"
_UUID = rf"{_H}{{8}}-{_H}{{4}}-{_H}{{4}}-{_H}{{4}}-{_H}{{12}}"
# Letters of both cases and a digit, or twelve of either on end with a digit among them: no name.
_RANDOM = (
    r"(?=[A-Za-z_-]{0,199}+[0-9])(?:(?=[a-z0-9_-]{0,199}+[A-Z])(?=[A-Z0-9_-]{0,199}+[a-z])"
    r"|(?=[A-Za-z0-9_-]{0,188}?(?=[A-Za-z]{0,11}+[0-9])[A-Za-z0-9]{12}))"
)
_ROWS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    # In base64, the first line of a key in armour: -----BEGIN
    ("private-key", r"LS0tLS1CRUdJTi[A-Za-z0-9+/]{100,8000}={0,2}", ("LS0tLS1CRUdJTi",)),
    ("1password-secret-key", r"A3-[A-Z0-9]{6}(?:-[A-Z0-9]{5,11}){4,5}", ("A3-",)),
    ("1password-service-account-token", r"ops_eyJ[A-Za-z0-9+/_-]{100,2000}={0,3}", ("ops_eyJ",)),
    ("adobe-client-secret", r"p8e-[a-z0-9]{32}", ("p8e-",)),
    ("age-secret-key", r"AGE-SECRET-KEY-1[0-9A-Z]{50,60}", ("AGE-SECRET-KEY-1",)),
    ("airtable-personal-access-token", rf"pat{_A}{{14}}\.{_H}{{64}}", ("pat",)),
    ("alibaba-access-key-id", rf"LTAI{_A}{{16,20}}", ("LTAI",)),
    ("anthropic-api-key", rf"sk-ant-[a-z]{{2,10}}\d\d-{_W}{{40,120}}", ("sk-ant-",)),
    ("artifactory-api-key", rf"AKCp{_A}{{60,72}}|cmVmd{_A}{{55,62}}", ("AKCp", "cmVmd")),
    (
        "asana-personal-access-token",
        rf"[012]/\d{{12,20}}(?:/\d{{12,20}})?:{_H}{{32}}",
        ("0/", "1/", "2/"),
    ),
    (
        "atlassian-api-token",
        rf"AT[AC]TT3{_W}{{40,250}}={{0,2}}(?:[A-F0-9]{{8}})?",
        ("ATATT3", "ATCTT3"),
    ),
    ("aws-amazon-bedrock-api-key", r"ABSK[A-Za-z0-9+/]{100,280}={0,2}", ("ABSK",)),
    ("aws-mws-token", rf"amzn\.mws\.{_UUID}", ("amzn.mws.",)),
    ("amazon-oauth-client-secret", rf"amzn1\.oa2-cs\.v1\.{_H}{{64}}", ("amzn1.oa2-cs",)),
    ("azure-ad-client-secret", r"[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}", ("*Q~",)),
    ("azure-function-key", rf"{_W}{{44,46}}AzFu{_W}{{6}}={{0,2}}", ("*AzFu",)),
    ("buildkite-api-token", rf"bkua_{_A}{{32,64}}|bkat_{_A}{{32,64}}", ("bkua_", "bkat_")),
    ("cerebras-api-key", rf"csk-{_A}{{40,60}}", ("csk-",)),
    ("circleci-token", rf"CCIPAT_{_A}{{20,30}}_{_H}{{40}}", ("CCIPAT_",)),
    ("clojars-api-token", r"CLOJARS_[a-z0-9]{60}", ("CLOJARS_",)),
    ("cloudflare-origin-ca-key", rf"v1\.0-{_H}{{24}}-{_H}{{146}}", ("v1.0-",)),
    ("cloudflare-api-token", rf"cf(?:k|[ua]t)_{_A}{{40,60}}", ("cfk_", "cfut_", "cfat_")),
    ("cloudinary-url", rf"cloudinary://\d{{10,20}}:{_W}{{20,40}}", ("cloudinary://",)),
    ("crates-io-token", rf"cio{_A}{{32}}", ("cio",)),
    ("databricks-api-token", rf"dapi{_H}{{32}}(?:-\d)?", ("dapi",)),
    ("defined-networking-api-token", r"dnkey-[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}", ("dnkey-",)),
    ("digitalocean-access-token", rf"do[opr]_v1_{_H}{{64}}", ("doo_v1_", "dop_v1_", "dor_v1_")),
    (
        "discord-api-token",
        rf"[MNO](?<![A-Za-z0-9_-][MNO]){_W}{{22,27}}\.{_W}{{6}}\.{_W}{{27,40}}",
        ("*.",),
    ),
    ("docker-hub-token", rf"dckr_[po]at_{_W}{{20,40}}", ("dckr_",)),
    (
        "doppler-api-token",
        rf"dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{{2,35}}\.)?{_A}{{40,44}}",
        ("dp.",),
    ),
    ("duffel-api-token", r"duffel_(?:test|live)_[A-Za-z0-9_=-]{43}", ("duffel_",)),
    ("dynatrace-api-token", r"dt0[a-z]\d\d\.[A-Z0-9]{24}\.[A-Z0-9]{64}", ("dt0",)),
    ("easypost-api-token", rf"EZ[AT]K{_A}{{54}}", ("EZAK", "EZTK")),
    ("facebook-access-token", rf"EAA[A-Za-z]{_A}{{80,400}}", ("EAA",)),
    ("figma-token", rf"fig[dou]r?_{_W}{{40,50}}", ("fig",)),
    (
        "flutterwave-secret-key",
        rf"FLWSECK(?:_TEST)?-{_A}{{32}}-X|FLWSECK_TEST-{_A}{{12}}",
        ("FLWSECK",),
    ),
    (
        "flyio-access-token",
        rf"fo1_{_W}{{43}}|fm[12][ar]?_[A-Za-z0-9+/]{{60,2000}}={{0,3}}",
        ("fo1_", "fm1", "fm2"),
    ),
    ("frameio-api-token", r"fio-u-[A-Za-z0-9_=-]{64}", ("fio-u-",)),
    ("firecrawl-api-key", rf"fc-{_H}{{32}}", ("fc-",)),
    ("gcp-api-key", rf"AIza{_W}{{35}}|AQ\.A{_W}{{40,120}}", ("AIza", "AQ.A")),
    ("gcp-oauth-client-secret", rf"GOCSPX-{_W}{{28}}", ("GOCSPX-",)),
    ("gcp-oauth-access-token", r"ya29\.[A-Za-z0-9._-]{20,2000}", ("ya29.",)),
    ("gcp-oauth-refresh-token", rf"1//0[A-Za-z0-9]{_W}{{38,200}}", ("1//0",)),
    (
        "github-token",
        rf"gh[pousr]_(?:{_A}{{36,255}}|\d{{1,12}}_eyJ[A-Za-z0-9._-]{{60,2000}})",
        ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"),
    ),
    ("github-fine-grained-pat", r"github_pat_[A-Za-z0-9_]{22,255}", ("github_pat_",)),
    (
        "gitlab-token",
        rf"gl(?:pat|dt|ft|rt|rtr|ptt|soat|cbt|imt|agent|oas|ffct)-(?:t\d_)?(?:{_W}{{20,300}}|{_W}{{20,300}}\.[0-9a-z.]{{5,20}})",
        ("gl",),
    ),
    ("gitlab-runner-registration-token", rf"GR1348941{_W}{{20}}", ("GR1348941",)),
    (
        "grafana-token",
        rf"gl(?:c_[A-Za-z0-9+/]{{32,400}}={{0,3}}|sa_{_A}{{32}}_[A-Fa-f0-9]{{8}})",
        ("glc_", "glsa_"),
    ),
    ("groq-api-key", rf"gsk_{_A}{{40,60}}", ("gsk_",)),
    ("harness-api-key", rf"[ps]at\.{_W}{{22}}\.{_H}{{24}}\.{_A}{{20}}", ("pat.", "sat.")),
    ("hashicorp-tf-api-token", rf"{_A}{{14}}\.atlasv1\.[A-Za-z0-9_=-]{{60,70}}", ("*.atlasv1.",)),
    ("heroku-api-key", rf"HRKU-{_W}{{36,64}}", ("HRKU-",)),
    ("hubspot-private-app-token", rf"pat-(?:na|eu|ap)\d-{_UUID}", ("pat-",)),
    ("huggingface-access-token", rf"hf_{_A}{{30,40}}|api_org_{_A}{{34}}", ("hf_", "api_org_")),
    ("infracost-api-token", rf"ico-{_A}{{32}}", ("ico-",)),
    (
        "jwt",
        r"eyJ[A-Za-z0-9_-]{10,1000}+\.eyJ[A-Za-z0-9_-]{10,}+(?:\.[A-Za-z0-9_-]{10,}+)?",
        ("eyJ",),
    ),
    (
        "jwe",
        r"eyJ[A-Za-z0-9_-]{10,1000}+\.[A-Za-z0-9_-]{0,1000}+\.[A-Za-z0-9_-]{10,400}+\.[A-Za-z0-9_-]{10,4000}+\.[A-Za-z0-9_-]{10,200}+",
        ("eyJ",),
    ),
    ("langsmith-api-key", rf"lsv2_(?:pt|sk)_{_H}{{32}}_{_H}{{10}}", ("lsv2_",)),
    ("linear-api-key", rf"lin_(?:api|oauth)_{_A}{{32,64}}", ("lin_",)),
    ("mailchimp-api-key", rf"{_H}{{32}}-us\d{{1,2}}", ("*-us",)),
    ("mailgun-token", rf"key-{_H}{{32}}", ("key-",)),
    ("mailgun-token", rf"{_H}{{32}}-{_H}{{8}}-{_H}{{8}}", ("*-",)),
    ("mapbox-api-token", rf"sk\.eyJ{_W}{{40,400}}\.{_W}{{20,40}}", ("sk.eyJ",)),
    ("maxmind-license-key", rf"{_A}{{6}}_{_A}{{29}}_mmk", ("*_mmk",)),
    ("meraki-or-neon-api-key", rf"napi_{_A}{{40,80}}", ("napi_",)),
    ("netlify-access-token", rf"nf[pcoub]_{_A}{{30,60}}", ("nfp_", "nfc_", "nfo_", "nfu_", "nfb_")),
    ("new-relic-key", rf"NR(?:AK|AA|II|IQ|RA|JS|BR|SP)-{_W}{{19,48}}", ("NR",)),
    ("new-relic-key", rf"{_H}{{36}}NRAL", ("*NRAL",)),
    ("notion-api-token", rf"ntn_{_A}{{40,50}}|secret_{_A}{{43}}", ("ntn_", "secret_")),
    ("npm-access-token", rf"npm_{_A}{{36}}", ("npm_",)),
    ("nuget-api-key", r"oy2[a-z0-9]{43}", ("oy2",)),
    ("nvidia-api-key", rf"nvapi-{_W}{{50,80}}", ("nvapi-",)),
    ("octopus-deploy-api-key", r"API-[A-Z0-9]{26,40}", ("API-",)),
    ("openai-api-key", rf"sk-{_W}{{16,100}}T3BlbkFJ{_W}{{16,100}}", ("sk-",)),
    ("openshift-user-token", rf"sha256~{_W}{{43}}", ("sha256~",)),
    (
        "paypal-access-token",
        rf"access_token\$(?:production|sandbox)\$[a-z0-9]{{16}}\${_H}{{32}}",
        ("access_token$",),
    ),
    ("perplexity-api-key", rf"pplx-{_A}{{40,60}}", ("pplx-",)),
    ("pinecone-api-key", rf"pcsk_{_A}{{4,8}}_{_A}{{40,80}}", ("pcsk_",)),
    ("plaid-api-token", rf"access-(?:sandbox|development|production)-{_UUID}", ("access-",)),
    ("planetscale-token", r"pscale_(?:tkn|pw|oauth|api)_[A-Za-z0-9_=.-]{32,64}", ("pscale_",)),
    ("posthog-api-key", rf"ph[xcs]_{_A}{{40,50}}", ("phx_", "phc_", "phs_")),
    ("postman-api-token", rf"PMAK-{_H}{{24}}-{_H}{{34}}", ("PMAK-",)),
    ("prefect-api-token", r"pnu_[a-zA-Z0-9]{36}", ("pnu_",)),
    ("pulumi-api-token", rf"pul-{_H}{{40}}", ("pul-",)),
    ("pypi-upload-token", rf"pypi-A{_W}{{50,1000}}", ("pypi-A",)),
    ("readme-api-token", r"rdme_[a-z0-9]{60,80}", ("rdme_",)),
    ("render-api-key", rf"rnd_{_A}{{28,40}}", ("rnd_",)),
    ("replicate-api-token", rf"r8_{_A}{{37}}", ("r8_",)),
    ("resend-api-key", rf"re_{_A}{{6,10}}_{_A}{{20,30}}", ("re_",)),
    ("rubygems-api-token", rf"rubygems_{_H}{{48}}", ("rubygems_",)),
    ("salesforce-access-token", rf"00D{_A}{{12,15}}![A-Za-z0-9._]{{80,120}}", ("00D",)),
    ("scalingo-api-token", rf"tk-us-{_W}{{48}}", ("tk-us-",)),
    ("sendgrid-api-token", r"SG\.[A-Za-z0-9_=-]{16,32}\.[A-Za-z0-9_=-]{39,50}", ("SG.",)),
    ("sendinblue-api-token", rf"x(?:key|smtp)sib-{_H}{{64}}-{_A}{{16}}", ("xkeysib-", "xsmtpsib-")),
    ("sentry-token", r"sntry[su]_[A-Za-z0-9_=+/-]{40,400}", ("sntry",)),
    ("shippo-api-token", rf"shippo_(?:live|test)_{_H}{{40}}", ("shippo_",)),
    ("shopify-token", rf"shp(?:at|ca|pa|ss|tka|ua)_{_A}{{32,64}}", ("shp",)),
    (
        "slack-token",
        rf"xox[abeoprs](?:\.xox[bp])?-[A-Za-z0-9-]{{10,250}}|xapp-\d-[A-Z0-9]+-\d+-{_A}{{20,100}}",
        ("xox", "xapp-"),
    ),
    ("sonar-api-token", rf"sq[upa]_{_A}{{40}}", ("squ_", "sqp_", "sqa_")),
    ("sourcegraph-access-token", rf"sgp_(?:(?:{_H}{{16}}|local)_)?{_H}{{40}}", ("sgp_",)),
    ("square-access-token", rf"EAAA{_W}{{60}}|sq0[a-z]{{3}}-{_W}{{22,60}}", ("EAAA", "sq0")),
    ("stripe-access-token", rf"[rs]k_(?:live|test|prod)_{_A}{{10,200}}", ("sk_", "rk_")),
    ("stripe-webhook-secret", r"whsec_[A-Za-z0-9+/]{24,64}={0,2}", ("whsec_",)),
    (
        "supabase-token",
        rf"sbp_(?:[a-z]\w{{1,5}}_)?{_H}{{40}}|sb_secret_{_W}{{20,60}}",
        ("sbp_", "sb_secret_"),
    ),
    ("tailscale-key", rf"tskey-[a-z]{{3,10}}-{_A}{{8,24}}-{_A}{{16,64}}", ("tskey-",)),
    ("tavily-api-key", rf"tvly-{_W}{{28,60}}", ("tvly-",)),
    ("telegram-bot-api-token", rf"\d{{6,16}}:A{_W}{{34}}", ("*:A",)),
    ("together-api-key", rf"tgp_v\d_{_W}{{40,60}}", ("tgp_v",)),
    ("twilio-api-key", rf"SK{_H}{{32}}", ("SK",)),
    ("typeform-api-token", r"tfp_[A-Za-z0-9_.=-]{40,64}", ("tfp_",)),
    ("vault-token", rf"hv[sbr]\.{_W}{{24,300}}", ("hvs.", "hvb.", "hvr.")),
    ("vercel-token", rf"vc[aikpr]_{_A}{{24,64}}", ("vca_", "vci_", "vck_", "vcp_", "vcr_")),
    ("wallet-private-key", r"xprv[1-9A-HJ-NP-Za-km-z]{100,112}", ("xprv",)),
    ("xai-api-key", rf"xai-{_A}{{70,90}}", ("xai-",)),
    (
        "yandex-token",
        rf"AQVN{_W}{{35,38}}|YC{_W}{{38}}|y[0-3]_{_W}{{55,60}}",
        ("AQVN", "YC", "y0_", "y1_", "y2_", "y3_"),
    ),
    ("trello-token", rf"ATTA{_H}{{60,80}}", ("ATTA",)),
    ("dropbox-token", rf"sl\.(?:u\.)?{_W}{{100,2000}}", ("sl.",)),
    ("docker-swarm-token", r"SWMTKN-1-[a-z0-9]{40,60}-[a-z0-9]{20,30}", ("SWMTKN-1-",)),
    ("elevenlabs-api-key", rf"sk_{_H}{{40,64}}", ("sk_",)),
    ("honeycomb-key", rf"hc[a-z]ik_{_A}{{40,64}}", ("hc",)),
    ("contentful-token", rf"CFPAT-{_W}{{40,50}}", ("CFPAT-",)),
    ("mailersend-token", rf"mlsn\.{_H}{{60,70}}", ("mlsn.",)),
    ("adyen-api-key", r"AQE[A-Za-z0-9+/]{60,200}={0,2}-[-=A-Za-z0-9+/]{16,200}", ("AQE",)),
    ("solana-or-near-key", r"ed25519:[1-9A-HJ-NP-Za-km-z]{60,90}", ("ed25519:",)),
    ("api-key", rf"sk-{_RANDOM}[A-Za-z0-9_-]{{24,200}}", ("sk-",)),
    (
        "api-key",
        rf"(?!pk_)[a-z]{{2,12}}_(?:live|prod|secret|sec|key)_(?=[A-Za-z]*\d){_A}{{24,80}}",
        ("*_live_", "*_prod_", "*_secret_", "*_sec_", "*_key_"),
    ),
)

TOKENS: tuple[SecretRule, ...] = (
    *(
        SecretRule(
            kind,
            f"(?:{pattern})(?![A-Za-z0-9])",
            tuple(word.removeprefix("*") for word in keywords),
            check=is_provider_token,
            place="inside" if keywords[0].startswith("*") else "begins",
        )
        for kind, pattern, keywords in _ROWS
    ),
    SecretRule(  # its own alphabet decides where it ends
        "aws-access-token",
        r"(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]{16}(?![A-Z0-9])",
        ("AKIA", "ASIA", "ABIA", "ACCA", "A3T"),
        check=is_provider_token,
        place="begins",
    ),
    SecretRule(  # of a Vault before 1.10; in code, `s.` is before the names of methods too
        "vault-token",
        r"s\.(?P<secret>[A-Za-z0-9]{24})(?![A-Za-z0-9(])",
        ("s.",),
        lambda lead, value: is_random_looking(value, 0.4, 24) and sum(map(str.isdigit, value)) > 0,
        "begins",
    ),
)
