"""Tokens of model providers, code hosts and package registries."""

from __future__ import annotations

from tests.kit.secrets.planted import Maker
from tests.kit.secrets.second.draws import (
    ALNUM,
    BASE32,
    DIGITS,
    HEX,
    LOWNUM,
    UPNUM,
    UPPER,
    URLSAFE,
    base64_bytes,
    checked,
    either,
    jwt,
    of,
    uuid,
)
from tests.kit.secrets.second.frames import named, prefixed

KINDS: dict[str, Maker] = {
    # Models.
    "anthropic_key": prefixed(of("sk-ant-api03-", (URLSAFE, 93), "AA"), "anthropic api key"),
    "anthropic_oauth_token": prefixed(
        of("sk-ant-oat01-", (URLSAFE, 93), "AA"), "claude code oauth token"
    ),
    "openai_project_key": prefixed(
        of("sk-proj-", (URLSAFE, 74), "T3BlbkFJ", (URLSAFE, 74)), "openai api key", "openai key"
    ),
    "openai_legacy_key": prefixed(of("sk-", (ALNUM, 20), "T3BlbkFJ", (ALNUM, 20)), "openai key"),
    "google_api_key": prefixed(
        of("AIza", (URLSAFE, 35)), "google api key", "gemini api key", "youtube key"
    ),
    "hugging_face_token": prefixed(of("hf_", (ALNUM, 34)), "hf token", "hugging face hub token"),
    "replicate_token": prefixed(of("r8_", (ALNUM, 37)), "replicate api token"),
    "groq_key": prefixed(of("gsk_", (ALNUM, 52)), "groq api key"),
    "xai_key": prefixed(of("xai-", (ALNUM, 80)), "xai api key", "grok key"),
    "perplexity_key": prefixed(of("pplx-", (ALNUM, 48)), "perplexity api key"),
    "openrouter_key": prefixed(of("sk-or-v1-", (HEX, 64)), "openrouter api key"),
    "deepseek_key": prefixed(of("sk-", (HEX, 32)), "deepseek api key"),
    "cohere_key": named(of((ALNUM, 40)), "cohere api key", "co api key"),
    "mistral_key": named(of((ALNUM, 32)), "mistral api key"),
    "together_key": named(of((HEX, 64)), "together api key"),
    "elevenlabs_key": prefixed(of("sk_", (HEX, 48)), "elevenlabs api key", "xi api key"),
    "langsmith_key": prefixed(
        of("lsv2_", either(of("pt"), of("sk")), "_", (HEX, 32), "_", (HEX, 10)), "langsmith api key"
    ),
    "langfuse_key": prefixed(of("sk-lf-", uuid), "langfuse secret key"),
    "pinecone_key": prefixed(of("pcsk_", (ALNUM, 6), "_", (ALNUM, 63)), "pinecone api key"),
    "wandb_key": named(of((HEX, 40)), "wandb api key"),
    "tavily_key": prefixed(of("tvly-", (ALNUM, 32)), "tavily api key"),
    # Code hosts.
    "github_personal_token": prefixed(checked("ghp_", 36), "github token", "gh token", "gh pat"),
    "github_oauth_token": prefixed(checked("gho_", 36), "github oauth token"),
    "github_server_token": prefixed(checked("ghs_", 36), "github token"),
    "github_refresh_token": prefixed(of("ghr_", (ALNUM, 76)), "github refresh token"),
    "github_fine_token": prefixed(of("github_pat_", (ALNUM, 22), "_", (ALNUM, 59)), "github pat"),
    "gitlab_personal_token": prefixed(
        of("glpat-", (URLSAFE, 20)), "gitlab token", "gitlab private token"
    ),
    "gitlab_routable_token": prefixed(
        of("glpat-", (URLSAFE, 27), ".01.", (LOWNUM, 9)), "gitlab token"
    ),
    "gitlab_runner_token": prefixed(of("glrt-", (URLSAFE, 20)), "runner token"),
    "gitlab_deploy_token": prefixed(of("gldt-", (URLSAFE, 20)), "ci deploy password"),
    "bitbucket_app_password": prefixed(of("ATBB", (ALNUM, 32)), "bitbucket app password"),
    "atlassian_token": prefixed(
        of("ATATT3xFfGF0", (URLSAFE, 171), "=", (UPNUM, 8)), "jira api token", "confluence token"
    ),
    "gitea_token": named(of((HEX, 40)), "gitea token", "forgejo api token"),
    "azure_devops_token": named(of((LOWNUM, 52)), "azure devops ext pat", "system accesstoken"),
    # Registries of packages and images.
    "npm_token": prefixed(checked("npm_", 36), "npm token", "node auth token"),
    "pypi_token": prefixed(
        of("pypi-AgEIcHlwaS5vcmc", (URLSAFE, 150)), "pypi token", "twine password"
    ),
    "rubygems_key": prefixed(of("rubygems_", (HEX, 48)), "rubygems api key", "gem host api key"),
    "crates_token": prefixed(of("cio", (ALNUM, 32)), "cargo registry token"),
    "nuget_key": prefixed(of("oy2", (LOWNUM, 43)), "nuget api key"),
    "docker_hub_token": prefixed(of("dckr_pat_", (URLSAFE, 27)), "docker password", "hub token"),
    "artifactory_key": prefixed(of("AKCp", (ALNUM, 69)), "artifactory api key", "jfrog api key"),
    # Builds, errors, measures.
    "circleci_token": prefixed(of("CCIPAT_", (ALNUM, 22), "_", (HEX, 40)), "circle token"),
    "buildkite_token": prefixed(of("bkua_", (HEX, 40)), "buildkite api token"),
    "travis_token": named(of((URLSAFE, 22)), "travis api token"),
    "codecov_token": named(uuid, "codecov token"),
    "snyk_token": named(uuid, "snyk token"),
    "sonar_token": prefixed(
        of(either(of("sqp_"), of("squ_"), of("sqa_")), (HEX, 40)), "sonar token"
    ),
    "sentry_token": prefixed(of("sntryu_", (HEX, 64)), "sentry auth token"),
    "sentry_org_token": prefixed(
        of("sntrys_eyJpYXQiOjE3", (ALNUM, 120), "_", (ALNUM, 43)), "sentry auth token"
    ),
    "datadog_api_key": named(of((HEX, 32)), "dd api key", "datadog api key"),
    "datadog_app_key": named(of((HEX, 40)), "dd app key", "dd application key"),
    "new_relic_user_key": prefixed(of("NRAK-", (UPNUM, 27)), "new relic api key"),
    "new_relic_license": named(of((HEX, 36), "FFFFNRAL"), "new relic license key"),
    "grafana_service_token": prefixed(of("glsa_", (ALNUM, 32), "_", (HEX, 8)), "grafana token"),
    "grafana_cloud_token": prefixed(of("glc_eyJvIjoi", (ALNUM, 96)), "grafana cloud api key"),
    "honeycomb_key": prefixed(of("hcaik_01", (LOWNUM, 56)), "honeycomb api key"),
    "pagerduty_key": named(of("u+", (URLSAFE, 18)), "pagerduty api token"),
    "rollbar_token": named(of((HEX, 32)), "rollbar access token", "rollbar post server item"),
    "dynatrace_token": prefixed(of("dt0c01.", (BASE32, 24), ".", (BASE32, 64)), "dt api token"),
    "logdna_key": named(of((HEX, 32)), "logdna ingestion key"),
    # Identity.
    "okta_token": named(of("00", (URLSAFE, 40)), "okta api token"),
    "auth0_client_secret": named(of((URLSAFE, 64)), "auth0 client secret"),
    "keycloak_client_secret": named(
        either(uuid, of((ALNUM, 32))), "keycloak client secret", "oidc client secret"
    ),
    "clerk_key": prefixed(of("sk_live_", (ALNUM, 50)), "clerk secret key"),
    "onepassword_service": prefixed(
        of("ops_eyJ", (ALNUM, 220)), "op service account token", "onepassword token"
    ),
    "jwt_bearer": prefixed(jwt, "access token", "id token", "service token"),
    "jwt_signing_secret": named(
        either(base64_bytes(32), base64_bytes(48), of((HEX, 64))),
        "jwt secret",
        "jwt signing key",
        "token signing secret",
    ),
    "workos_key": prefixed(of("sk_live_a2V5Xz", (ALNUM, 40)), "workos api key"),
    "yubico_key": named(base64_bytes(20), "yubico secret key"),
    "recaptcha_secret": named(of("6L", (URLSAFE, 38)), "recaptcha secret key", "recaptcha secret"),
    "apple_app_password": named(
        lambda chance: "-".join(
            "".join(chance.choice(UPPER.lower()) for _ in range(4)) for _ in range(4)
        ),
        "apple app specific password",
        "notarytool password",
    ),
    "gmail_app_password": named(
        of((UPPER.lower(), 16)), "gmail app password", "smtp password", "email host password"
    ),
    "totp_in_settings": named(of((BASE32, 32)), "totp secret", "mfa secret", "otp seed"),
    "numeric_pin": named(of((DIGITS, 8)), "hsm pin", "pkcs11 pin", "luna partition pin"),
}
