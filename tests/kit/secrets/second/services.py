"""Tokens of services that send, bill, host and store."""

from __future__ import annotations

from tests.kit.secrets.planted import Maker
from tests.kit.secrets.second.draws import (
    ALNUM,
    BASE64,
    DIGITS,
    HEX,
    URLSAFE,
    base64_bytes,
    either,
    jwt,
    of,
    uuid,
)
from tests.kit.secrets.second.frames import named, prefixed

KINDS: dict[str, Maker] = {
    # Chat and mail.
    "slack_bot_token": prefixed("xoxb-<digits:12>-<digits:13>-<alnum:24>", "slack bot token"),
    "slack_user_token": prefixed(
        "xoxp-<digits:12>-<digits:12>-<digits:13>-<hex:32>", "slack token", "slack user token"
    ),
    "slack_app_token": prefixed(
        of("xapp-1-A0", (ALNUM[:36], 9), "-", (DIGITS, 13), "-", (HEX, 64)), "slack app token"
    ),
    "slack_signing_secret": named("<hex:32>", "slack signing secret"),
    "discord_bot_token": prefixed(
        "MT<alnum:24>.G<urlsafe:5>.<urlsafe:38>", "discord token", "bot token"
    ),
    "telegram_bot_token": prefixed(
        of((DIGITS[1:], 10), ":AA", (URLSAFE, 33)), "telegram bot token", "tg token"
    ),
    "twilio_auth_token": named("<hex:32>", "twilio auth token"),
    "sendgrid_key": prefixed("SG.<urlsafe:22>.<urlsafe:43>", "sendgrid api key", "smtp password"),
    "mailgun_key": prefixed("key-<hex:32>", "mailgun api key"),
    "mailgun_new_key": named("<hex:32>-<hex:8>-<hex:8>", "mailgun api key"),
    "mailchimp_key": prefixed(of((HEX, 32), "-us", (DIGITS[1:], 2)), "mailchimp api key"),
    "postmark_token": named(uuid, "postmark server token", "postmark api token"),
    "resend_key": prefixed("re_<alnum:8>_<alnum:24>", "resend api key"),
    "brevo_key": prefixed("xkeysib-<hex:64>-<alnum:16>", "brevo api key"),
    "vonage_secret": named("<alnum:16>", "nexmo api secret", "vonage api secret"),
    "intercom_token": prefixed("dG9rOj<alnum:52>=", "intercom access token"),
    # Money and shops.
    "stripe_secret_key": prefixed(
        of("sk_live_", either("<alnum:24>", "51<alnum:97>")), "stripe secret key", "stripe api key"
    ),
    "stripe_restricted_key": prefixed("rk_live_51<alnum:97>", "stripe restricted key"),
    "stripe_webhook_secret": prefixed("whsec_<alnum:32>", "stripe webhook secret"),
    "square_token": prefixed("EAAA<urlsafe:60>", "square access token"),
    "paypal_secret": named("E<urlsafe:79>", "paypal client secret", "paypal secret"),
    "braintree_token": prefixed(
        "access_token$production$<lownum:16>$<hex:32>", "braintree access token"
    ),
    "adyen_key": prefixed("AQE<base64:82>-<base64:43>=", "adyen api key"),
    "razorpay_secret": named("<alnum:24>", "razorpay key secret"),
    "plaid_secret": named("<hex:30>", "plaid secret"),
    "coinbase_secret": named("<alnum:32>", "coinbase api secret"),
    "binance_secret": named("<alnum:64>", "binance api secret", "binance secret key"),
    "shopify_token": prefixed(
        of(either("shpat_", "shpca_", "shpss_"), (HEX, 32)),
        "shopify access token",
        "shopify api password",
    ),
    "paddle_key": prefixed("pdl_live_apikey_01<lownum:24>_<alnum:22>_<alnum:3>", "paddle api key"),
    # Work.
    "linear_key": prefixed("lin_api_<alnum:40>", "linear api key"),
    "notion_token": prefixed(
        either("ntn_<digits:11><alnum:35>", "secret_<alnum:43>"), "notion token", "notion api key"
    ),
    "airtable_token": prefixed("pat<alnum:14>.<hex:64>", "airtable token"),
    "figma_token": prefixed("figd_<urlsafe:40>", "figma token"),
    "asana_token": named("1/<digits:16>:<hex:32>", "asana access token"),
    "trello_token": named("ATTA<hex:64><hex:8>", "trello token"),
    "hubspot_token": prefixed("pat-na1-<uuid>", "hubspot access token"),
    "zendesk_token": named("<alnum:40>", "zendesk api token"),
    "dropbox_token": prefixed("sl.B<urlsafe:136>", "dropbox access token"),
    "facebook_token": prefixed("EAA<alnum:180>", "fb access token", "page access token"),
    "twitter_bearer": prefixed(
        "AAAAAAAAAAAAAAAAAAAAA<alnum:40>%3D<alnum:50>", "twitter bearer token"
    ),
    "twitter_consumer_secret": named("<alnum:50>", "twitter consumer secret", "x api secret"),
    "algolia_admin_key": named("<hex:32>", "algolia admin key", "algolia write api key"),
    "mapbox_secret": prefixed("sk.eyJ1Ijoi<alnum:60>.<urlsafe:22>", "mapbox token"),
    "launchdarkly_key": prefixed("sdk-<uuid>", "launchdarkly sdk key", "ld sdk key"),
    "posthog_key": prefixed("phx_<alnum:43>", "posthog personal api key"),
    "segment_key": named("<alnum:32>", "segment write key"),
    "typeform_token": prefixed("tfp_<alnum:44>_<alnum:14>", "typeform token"),
    "contentful_token": prefixed("CFPAT-<urlsafe:43>", "contentful management token"),
    "postman_key": prefixed("PMAK-<hex:24>-<hex:34>", "postman api key"),
    # Hosts and stores.
    "google_client_secret": prefixed(
        "GOCSPX-<urlsafe:28>", "google client secret", "oauth client secret"
    ),
    "google_access_token": prefixed("ya29.a0<urlsafe:170>", "access token", "gcp token"),
    "google_refresh_token": prefixed("1//0<urlsafe:98>", "refresh token"),
    "azure_client_secret": named(
        "<alnum:3>8Q~<urlsafe:34>", "azure client secret", "arm client secret"
    ),
    "azure_storage_key": named(base64_bytes(64), "azure storage key", "storage account key"),
    "azure_openai_key": named("<hex:32>", "azure openai api key", "cognitive services key"),
    "aws_secret_key": named(
        "<base64:40>", "aws secret access key", "aws secret key", "s3 secret key"
    ),
    "alibaba_secret": named("<alnum:30>", "alicloud secret key", "oss access key secret"),
    "cloudflare_token": named("<urlsafe:40>", "cloudflare api token", "cf api token"),
    "cloudflare_global_key": named("<hex:37>", "cloudflare api key", "cf global api key"),
    "cloudflare_tunnel": named("eyJhIjoi<alnum:160>", "tunnel token", "cloudflared token"),
    "digitalocean_token": prefixed("dop_v1_<hex:64>", "digitalocean access token", "do token"),
    "hetzner_token": named("<alnum:64>", "hcloud token", "hetzner dns token"),
    "linode_token": named("<hex:64>", "linode token", "linode cli token"),
    "heroku_key": prefixed("HRKU-<uuid>", "heroku api key"),
    "vercel_token": named("<alnum:24>", "vercel token"),
    "netlify_token": prefixed("nfp_<alnum:40>", "netlify auth token"),
    "fly_token": prefixed("FlyV1 fm2_lJPE<base64:300>", "fly api token"),
    "render_key": prefixed("rnd_<alnum:28>", "render api key"),
    "railway_token": named(uuid, "railway token"),
    "supabase_token": prefixed("sbp_<hex:40>", "supabase access token"),
    "supabase_service_role": prefixed(jwt, "supabase service role key"),
    "planetscale_password": prefixed(
        "pscale_pw_<urlsafe:43>", "planetscale password", "database password"
    ),
    "neon_key": prefixed("napi_<lownum:64>", "neon api key"),
    "upstash_token": named("AX<alnum:66>=", "upstash redis rest token"),
    "databricks_token": prefixed("dapi<hex:32>", "databricks token"),
    "confluent_secret": named("<base64:64>", "confluent cloud api secret", "kafka api secret"),
    "elastic_api_key": named(base64_bytes(45), "elastic api key", "es apikey"),
    "influx_token": named(base64_bytes(64), "influx token", "influxdb admin token"),
    "doppler_token": prefixed("dp.st.prd.<alnum:43>", "doppler token"),
    "vault_service_token": prefixed("hvs.CAESI<urlsafe:90>", "vault token"),
    "vault_old_token": named("s.<alnum:24>", "vault token"),
    "vault_unseal_key": named(base64_bytes(33), "vault unseal key", "unseal key 1"),
    "terraform_cloud_token": prefixed(
        "<alnum:14>.atlasv1.<alnum:67>", "tfe token", "terraform cloud token"
    ),
    "pulumi_token": prefixed("pul-<hex:40>", "pulumi access token"),
    "consul_token": named(uuid, "consul http token", "nomad token"),
    "tailscale_key": prefixed(
        "tskey-auth-k<alnum:10>CNTRL-<alnum:32>", "tailscale authkey", "ts authkey"
    ),
    "ngrok_token": named("2<alnum:26>_<alnum:21>", "ngrok authtoken"),
    "sops_age_key": prefixed("AGE-SECRET-KEY-1<bech32:58>", "sops age key"),
    "minio_secret": named("<alnum:40>", "minio secret key", "minio root password"),
    "b2_key": prefixed(of("K00", (DIGITS[1:6], 1), (BASE64, 27)), "b2 application key"),
    "docker_swarm_token": prefixed("SWMTKN-1-<lownum:50>-<lownum:25>", "swarm join token"),
    "agora_certificate": named("<hex:32>", "agora app certificate"),
    "maxmind_key": named("<alnum:6>_<alnum:29>_mmk", "maxmind license key"),
    "riot_key": prefixed("RGAPI-<uuid>", "riot api key"),
    "steam_key": named(of((HEX.upper(), 32)), "steam web api key"),
    "duo_secret": named("<alnum:40>", "duo skey", "duo secret key"),
    "backup_codes_base32": named("<base32:26>", "recovery secret", "account recovery key"),
}
