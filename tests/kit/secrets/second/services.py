"""Tokens of services that send, bill, host and store."""

from __future__ import annotations

from tests.kit.secrets.planted import Maker
from tests.kit.secrets.second.draws import (
    ALNUM,
    BASE32,
    BASE64,
    BECH32,
    DIGITS,
    HEX,
    LOWNUM,
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
    "slack_bot_token": prefixed(
        of("xoxb-", (DIGITS, 12), "-", (DIGITS, 13), "-", (ALNUM, 24)), "slack bot token"
    ),
    "slack_user_token": prefixed(
        of("xoxp-", (DIGITS, 12), "-", (DIGITS, 12), "-", (DIGITS, 13), "-", (HEX, 32)),
        "slack token",
        "slack user token",
    ),
    "slack_app_token": prefixed(
        of("xapp-1-A0", (ALNUM[:36], 9), "-", (DIGITS, 13), "-", (HEX, 64)), "slack app token"
    ),
    "slack_signing_secret": named(of((HEX, 32)), "slack signing secret"),
    "discord_bot_token": prefixed(
        of("MT", (ALNUM, 24), ".G", (URLSAFE, 5), ".", (URLSAFE, 38)), "discord token", "bot token"
    ),
    "telegram_bot_token": prefixed(
        of((DIGITS[1:], 10), ":AA", (URLSAFE, 33)), "telegram bot token", "tg token"
    ),
    "twilio_auth_token": named(of((HEX, 32)), "twilio auth token"),
    "sendgrid_key": prefixed(
        of("SG.", (URLSAFE, 22), ".", (URLSAFE, 43)), "sendgrid api key", "smtp password"
    ),
    "mailgun_key": prefixed(of("key-", (HEX, 32)), "mailgun api key"),
    "mailgun_new_key": named(of((HEX, 32), "-", (HEX, 8), "-", (HEX, 8)), "mailgun api key"),
    "mailchimp_key": prefixed(of((HEX, 32), "-us", (DIGITS[1:], 2)), "mailchimp api key"),
    "postmark_token": named(uuid, "postmark server token", "postmark api token"),
    "resend_key": prefixed(of("re_", (ALNUM, 8), "_", (ALNUM, 24)), "resend api key"),
    "brevo_key": prefixed(of("xkeysib-", (HEX, 64), "-", (ALNUM, 16)), "brevo api key"),
    "vonage_secret": named(of((ALNUM, 16)), "nexmo api secret", "vonage api secret"),
    "intercom_token": prefixed(of("dG9rOj", (ALNUM, 52), "="), "intercom access token"),
    # Money and shops.
    "stripe_secret_key": prefixed(
        of("sk_live_", either(of((ALNUM, 24)), of("51", (ALNUM, 97)))),
        "stripe secret key",
        "stripe api key",
    ),
    "stripe_restricted_key": prefixed(of("rk_live_51", (ALNUM, 97)), "stripe restricted key"),
    "stripe_webhook_secret": prefixed(of("whsec_", (ALNUM, 32)), "stripe webhook secret"),
    "square_token": prefixed(of("EAAA", (URLSAFE, 60)), "square access token"),
    "paypal_secret": named(of("E", (URLSAFE, 79)), "paypal client secret", "paypal secret"),
    "braintree_token": prefixed(
        of("access_token$production$", (LOWNUM, 16), "$", (HEX, 32)), "braintree access token"
    ),
    "adyen_key": prefixed(of("AQE", (BASE64, 82), "-", (BASE64, 43), "="), "adyen api key"),
    "razorpay_secret": named(of((ALNUM, 24)), "razorpay key secret"),
    "plaid_secret": named(of((HEX, 30)), "plaid secret"),
    "coinbase_secret": named(of((ALNUM, 32)), "coinbase api secret"),
    "binance_secret": named(of((ALNUM, 64)), "binance api secret", "binance secret key"),
    "shopify_token": prefixed(
        of(either(of("shpat_"), of("shpca_"), of("shpss_")), (HEX, 32)),
        "shopify access token",
        "shopify api password",
    ),
    "paddle_key": prefixed(
        of("pdl_live_apikey_01", (LOWNUM, 24), "_", (ALNUM, 22), "_", (ALNUM, 3)), "paddle api key"
    ),
    # Work.
    "linear_key": prefixed(of("lin_api_", (ALNUM, 40)), "linear api key"),
    "notion_token": prefixed(
        either(of("ntn_", (DIGITS, 11), (ALNUM, 35)), of("secret_", (ALNUM, 43))),
        "notion token",
        "notion api key",
    ),
    "airtable_token": prefixed(of("pat", (ALNUM, 14), ".", (HEX, 64)), "airtable token"),
    "figma_token": prefixed(of("figd_", (URLSAFE, 40)), "figma token"),
    "asana_token": named(of("1/", (DIGITS, 16), ":", (HEX, 32)), "asana access token"),
    "trello_token": named(of("ATTA", (HEX, 64), (HEX, 8)), "trello token"),
    "hubspot_token": prefixed(of("pat-na1-", uuid), "hubspot access token"),
    "zendesk_token": named(of((ALNUM, 40)), "zendesk api token"),
    "dropbox_token": prefixed(of("sl.B", (URLSAFE, 136)), "dropbox access token"),
    "facebook_token": prefixed(of("EAA", (ALNUM, 180)), "fb access token", "page access token"),
    "twitter_bearer": prefixed(
        of("AAAAAAAAAAAAAAAAAAAAA", (ALNUM, 40), "%3D", (ALNUM, 50)), "twitter bearer token"
    ),
    "twitter_consumer_secret": named(of((ALNUM, 50)), "twitter consumer secret", "x api secret"),
    "algolia_admin_key": named(of((HEX, 32)), "algolia admin key", "algolia write api key"),
    "mapbox_secret": prefixed(of("sk.eyJ1Ijoi", (ALNUM, 60), ".", (URLSAFE, 22)), "mapbox token"),
    "launchdarkly_key": prefixed(of("sdk-", uuid), "launchdarkly sdk key", "ld sdk key"),
    "posthog_key": prefixed(of("phx_", (ALNUM, 43)), "posthog personal api key"),
    "segment_key": named(of((ALNUM, 32)), "segment write key"),
    "typeform_token": prefixed(of("tfp_", (ALNUM, 44), "_", (ALNUM, 14)), "typeform token"),
    "contentful_token": prefixed(of("CFPAT-", (URLSAFE, 43)), "contentful management token"),
    "postman_key": prefixed(of("PMAK-", (HEX, 24), "-", (HEX, 34)), "postman api key"),
    # Hosts and stores.
    "google_client_secret": prefixed(
        of("GOCSPX-", (URLSAFE, 28)), "google client secret", "oauth client secret"
    ),
    "google_access_token": prefixed(of("ya29.a0", (URLSAFE, 170)), "access token", "gcp token"),
    "google_refresh_token": prefixed(of("1//0", (URLSAFE, 98)), "refresh token"),
    "azure_client_secret": named(
        of((ALNUM, 3), "8Q~", (URLSAFE, 34)), "azure client secret", "arm client secret"
    ),
    "azure_storage_key": named(base64_bytes(64), "azure storage key", "storage account key"),
    "azure_openai_key": named(of((HEX, 32)), "azure openai api key", "cognitive services key"),
    "aws_secret_key": named(
        of((BASE64, 40)), "aws secret access key", "aws secret key", "s3 secret key"
    ),
    "alibaba_secret": named(of((ALNUM, 30)), "alicloud secret key", "oss access key secret"),
    "cloudflare_token": named(of((URLSAFE, 40)), "cloudflare api token", "cf api token"),
    "cloudflare_global_key": named(of((HEX, 37)), "cloudflare api key", "cf global api key"),
    "cloudflare_tunnel": named(of("eyJhIjoi", (ALNUM, 160)), "tunnel token", "cloudflared token"),
    "digitalocean_token": prefixed(
        of("dop_v1_", (HEX, 64)), "digitalocean access token", "do token"
    ),
    "hetzner_token": named(of((ALNUM, 64)), "hcloud token", "hetzner dns token"),
    "linode_token": named(of((HEX, 64)), "linode token", "linode cli token"),
    "heroku_key": prefixed(of("HRKU-", uuid), "heroku api key"),
    "vercel_token": named(of((ALNUM, 24)), "vercel token"),
    "netlify_token": prefixed(of("nfp_", (ALNUM, 40)), "netlify auth token"),
    "fly_token": prefixed(of("FlyV1 fm2_lJPE", (BASE64, 300)), "fly api token"),
    "render_key": prefixed(of("rnd_", (ALNUM, 28)), "render api key"),
    "railway_token": named(uuid, "railway token"),
    "supabase_token": prefixed(of("sbp_", (HEX, 40)), "supabase access token"),
    "supabase_service_role": prefixed(jwt, "supabase service role key"),
    "planetscale_password": prefixed(
        of("pscale_pw_", (URLSAFE, 43)), "planetscale password", "database password"
    ),
    "neon_key": prefixed(of("napi_", (LOWNUM, 64)), "neon api key"),
    "upstash_token": named(of("AX", (ALNUM, 66), "="), "upstash redis rest token"),
    "databricks_token": prefixed(of("dapi", (HEX, 32)), "databricks token"),
    "confluent_secret": named(of((BASE64, 64)), "confluent cloud api secret", "kafka api secret"),
    "elastic_api_key": named(base64_bytes(45), "elastic api key", "es apikey"),
    "influx_token": named(base64_bytes(64), "influx token", "influxdb admin token"),
    "doppler_token": prefixed(of("dp.st.prd.", (ALNUM, 43)), "doppler token"),
    "vault_service_token": prefixed(of("hvs.CAESI", (URLSAFE, 90)), "vault token"),
    "vault_old_token": named(of("s.", (ALNUM, 24)), "vault token"),
    "vault_unseal_key": named(base64_bytes(33), "vault unseal key", "unseal key 1"),
    "terraform_cloud_token": prefixed(
        of((ALNUM, 14), ".atlasv1.", (ALNUM, 67)), "tfe token", "terraform cloud token"
    ),
    "pulumi_token": prefixed(of("pul-", (HEX, 40)), "pulumi access token"),
    "consul_token": named(uuid, "consul http token", "nomad token"),
    "tailscale_key": prefixed(
        of("tskey-auth-k", (ALNUM, 10), "CNTRL-", (ALNUM, 32)), "tailscale authkey", "ts authkey"
    ),
    "ngrok_token": named(of("2", (ALNUM, 26), "_", (ALNUM, 21)), "ngrok authtoken"),
    "sops_age_key": prefixed(of("AGE-SECRET-KEY-1", (BECH32, 58)), "sops age key"),
    "minio_secret": named(of((ALNUM, 40)), "minio secret key", "minio root password"),
    "b2_key": prefixed(of("K00", (DIGITS[1:6], 1), (BASE64, 27)), "b2 application key"),
    "docker_swarm_token": prefixed(
        of("SWMTKN-1-", (LOWNUM, 50), "-", (LOWNUM, 25)), "swarm join token"
    ),
    "agora_certificate": named(of((HEX, 32)), "agora app certificate"),
    "maxmind_key": named(of((ALNUM, 6), "_", (ALNUM, 29), "_mmk"), "maxmind license key"),
    "riot_key": prefixed(of("RGAPI-", uuid), "riot api key"),
    "steam_key": named(of((HEX.upper(), 32)), "steam web api key"),
    "duo_secret": named(of((ALNUM, 40)), "duo skey", "duo secret key"),
    "backup_codes_base32": named(of((BASE32, 26)), "recovery secret", "account recovery key"),
}
