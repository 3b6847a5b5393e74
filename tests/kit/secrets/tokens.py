"""Tokens of providers, each in the line it is usually met in.

The forms are facts of the providers' own documents: prefixes, lengths and alphabets.
"""

from __future__ import annotations

# Kind → the line around it, `@@` where the secret stands, and the form of the secret.
TOKENS: dict[str, tuple[str, str]] = {
    # Clouds
    "aws-access-key-id": ("aws_access_key_id = @@", "AKIA<base32:16>"),
    "aws-temporary-key-id": ('"AccessKeyId": "@@",', "ASIA<base32:16>"),
    "aws-secret-access-key": ("aws_secret_access_key = @@", "<base64:40>"),
    "aws-session-token": ("export AWS_SESSION_TOKEN=@@", "IQoJb3JpZ2luX2VjE<base64:320>=="),
    "azure-storage-key": (
        "DefaultEndpointsProtocol=https;AccountName=<word>store;AccountKey=@@;"
        "EndpointSuffix=core.windows.net",
        "<base64:86>==",
    ),
    "azure-sas": (
        "https://<word>.blob.core.windows.net/backups/a.tar?sv=2022-11-02&ss=b&srt=co&sp=rl"
        "&se=2031-01-01T00:00:00Z&sig=@@",
        "<alnum:20>%2B<alnum:19>%2F<alnum:2>%3D",
    ),
    "azure-client-secret": ("AZURE_CLIENT_SECRET=@@", "<alnum:3>8Q~<url64:34>"),
    "azure-service-bus": (
        "Endpoint=sb://<word>.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=@@",
        "<base64:43>=",
    ),
    "google-api-key": ("const apiKey = '@@';", "AIza<url64:35>"),
    "google-oauth-secret": ('"client_secret": "@@",', "GOCSPX-<url64:28>"),
    "google-refresh-token": ('  "refresh_token": "@@"', "1//0<alnum:1><url64:98>"),
    "google-access-token": ("access_token: @@", "ya29.<url64:160>"),
    "digitalocean-token": ("DIGITALOCEAN_ACCESS_TOKEN=@@", "dop_v1_<hex:64>"),
    "alibaba-key": ("ALIBABA_CLOUD_ACCESS_KEY_SECRET=@@", "<alnum:30>"),
    "heroku-key": ("HEROKU_API_KEY=@@", "<uuid>"),
    "heroku-key-v2": ("export HEROKU_API_KEY=@@", "HRKU-AA<url64:58>"),
    "cloudflare-token": ("CLOUDFLARE_API_TOKEN=@@", "<url64:40>"),
    "cloudflare-origin-ca": ("X-Auth-User-Service-Key: @@", "v1.0-<hex:24>-<hex:146>"),
    "fastly-token": ("Fastly-Key: @@", "<url64:32>"),
    "databricks-token": ("DATABRICKS_TOKEN=@@", "dapi<hex:32>"),
    "flyio-token": ("FLY_API_TOKEN=@@", "fo1_<url64:43>"),
    # Code and builds
    "github-classic": ("export GITHUB_TOKEN=@@", "ghp_<alnum:36>"),
    "github-oauth": ("gh auth: token @@ (oauth)", "gho_<alnum:36>"),
    "github-app": ("remote: https://x-access-token:@@@github.com/acme/app.git", "ghs_<alnum:36>"),
    "github-fine-grained": ("GH_TOKEN: @@", "github_pat_<alnum:22>_<alnum:59>"),
    "gitlab-personal": ("PRIVATE-TOKEN: @@", "glpat-<url64:20>"),
    "gitlab-runner": ('token = "@@"', "glrt-<url64:20>"),
    "gitlab-ci-job": ("CI_JOB_TOKEN=@@", "glcbt-<hex:2>_<url64:20>"),
    "bitbucket-app": ("git clone https://acme-bot:@@@bitbucket.org/acme/x.git", "ATBB<alnum:32>"),
    "atlassian-token": ("JIRA_API_TOKEN=@@", "ATATT3xFfGF0<url64:178>=<HEX:8>"),
    "npm-token": ("//registry.npmjs.org/:_authToken=@@", "npm_<alnum:36>"),
    "pypi-token": ("password = @@", "pypi-AgEIcHlwaS5vcmc<url64:160>"),
    "rubygems-key": (":rubygems_api_key: @@", "rubygems_<hex:48>"),
    "crates-token": ('token = "@@"', "cio<alnum:32>"),
    "docker-hub": ("docker login -u acme -p @@", "dckr_pat_<url64:27>"),
    "terraform-cloud": ('  token = "@@"', "<alnum:14>.atlasv1.<alnum:67>"),
    "pulumi-token": ("PULUMI_ACCESS_TOKEN=@@", "pul-<hex:40>"),
    "vault-token": ("VAULT_TOKEN=@@", "hvs.<url64:94>"),
    "doppler-token": ("DOPPLER_TOKEN=@@", "dp.pt.<alnum:43>"),
    "age-key": ("# created: 2025-03-02T10:11:12Z\n@@", "AGE-SECRET-KEY-1<bech32:58>"),
    "circleci-token": ("CIRCLE_TOKEN=@@", "CCIPAT_<alnum:22>_<hex:40>"),
    # Talk
    "slack-bot": ("SLACK_BOT_TOKEN=@@", "xoxb-<digits:12>-<digits:13>-<alnum:24>"),
    "slack-user": ("token: @@", "xoxp-<digits:12>-<digits:12>-<digits:13>-<hex:32>"),
    "slack-app": ("SLACK_APP_TOKEN=@@", "xapp-1-A<upper:10>-<digits:13>-<hex:64>"),
    "slack-webhook": (
        "curl -X POST https://hooks.slack.com/services/@@ -d @message.json",
        "T<upper:10>/B<upper:10>/<alnum:24>",
    ),
    "discord-bot": ("DISCORD_TOKEN=@@", "MT<alnum:24>.G<url64:5>.<url64:38>"),
    "discord-webhook": ("https://discord.com/api/webhooks/<digits:19>/@@", "<url64:68>"),
    "telegram-bot": ("https://api.telegram.org/bot@@/getMe", "<digits:10>:AA<url64:33>"),
    "teams-webhook": (
        "https://acme.webhook.office.com/webhookb2/<uuid>@<uuid>/IncomingWebhook/@@",
        "<hex:32>/<uuid>",
    ),
    "twilio-key": ("TWILIO_API_KEY=@@", "SK<hex:32>"),
    "twilio-auth-token": ("TWILIO_AUTH_TOKEN=@@", "<hex:32>"),
    "sendgrid-key": ("SENDGRID_API_KEY=@@", "SG.<url64:22>.<url64:43>"),
    "mailgun-key": ("curl --user 'api:@@' https://api.mailgun.net/v3/x/messages", "key-<hex:32>"),
    "mailchimp-key": ("MAILCHIMP_API_KEY=@@", "<hex:32>-us12"),
    "notion-token": ("NOTION_TOKEN=@@", "ntn_<digits:11><alnum:35>"),
    "linear-key": ("Authorization: @@", "lin_api_<alnum:40>"),
    # Money
    "stripe-live": ("stripe.api_key = '@@'", "sk_live_<alnum:99>"),
    "stripe-restricted": ("STRIPE_KEY=@@", "rk_live_<alnum:24>"),
    "stripe-webhook": ("STRIPE_WEBHOOK_SECRET=@@", "whsec_<alnum:32>"),
    "shopify-token": ("X-Shopify-Access-Token: @@", "shpat_<hex:32>"),
    "square-token": ("SQUARE_ACCESS_TOKEN=@@", "EAAA<url64:60>"),
    "paypal-secret": ("PAYPAL_CLIENT_SECRET=@@", "E<url64:79>"),
    "plaid-secret": ("PLAID_SECRET=@@", "<hex:30>"),
    # Models
    "openai-project": ("OPENAI_API_KEY=@@", "sk-proj-<url64:74>T3BlbkFJ<url64:74>"),
    "openai-classic": ("openai.api_key = '@@'", "sk-<alnum:20>T3BlbkFJ<alnum:20>"),
    "anthropic-key": ("x-api-key: @@", "sk-ant-api03-<url64:93>AA"),
    "huggingface-token": ("HF_TOKEN=@@", "hf_<letters:34>"),
    "cohere-key": ("COHERE_API_KEY=@@", "<alnum:40>"),
    "mistral-key": ("MISTRAL_API_KEY=@@", "<alnum:32>"),
    "groq-key": ("export GROQ_API_KEY=@@", "gsk_<alnum:52>"),
    "replicate-token": ("REPLICATE_API_TOKEN=@@", "r8_<alnum:37>"),
    # Watching
    "datadog-api-key": ("DD_API_KEY=@@", "<hex:32>"),
    "datadog-app-key": ("DD_APPLICATION_KEY=@@", "<hex:40>"),
    "newrelic-key": ("NEW_RELIC_API_KEY=@@", "NRAK-<upper:27>"),
    "sentry-token": ("SENTRY_AUTH_TOKEN=@@", "sntryu_<hex:64>"),
    "grafana-token": ("GRAFANA_TOKEN=@@", "glsa_<alnum:32>_<hex:8>"),
    "pagerduty-key": ("Authorization: Token token=@@", "u+<url64:18>"),
}
