"""Tokens of model providers, code hosts and package registries."""

from __future__ import annotations

from tests.kit.secrets.planted import Maker
from tests.kit.secrets.second.draws import (
    HEX,
    UPPER,
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
    "anthropic_key": prefixed("sk-ant-api03-<urlsafe:93>AA", "anthropic api key"),
    "anthropic_oauth_token": prefixed("sk-ant-oat01-<urlsafe:93>AA", "claude code oauth token"),
    "openai_project_key": prefixed(
        "sk-proj-<urlsafe:74>T3BlbkFJ<urlsafe:74>", "openai api key", "openai key"
    ),
    "openai_legacy_key": prefixed("sk-<alnum:20>T3BlbkFJ<alnum:20>", "openai key"),
    "google_api_key": prefixed(
        "AIza<urlsafe:35>", "google api key", "gemini api key", "youtube key"
    ),
    "hugging_face_token": prefixed("hf_<alnum:34>", "hf token", "hugging face hub token"),
    "replicate_token": prefixed("r8_<alnum:37>", "replicate api token"),
    "groq_key": prefixed("gsk_<alnum:52>", "groq api key"),
    "xai_key": prefixed("xai-<alnum:80>", "xai api key", "grok key"),
    "perplexity_key": prefixed("pplx-<alnum:48>", "perplexity api key"),
    "openrouter_key": prefixed("sk-or-v1-<hex:64>", "openrouter api key"),
    "deepseek_key": prefixed("sk-<hex:32>", "deepseek api key"),
    "cohere_key": named("<alnum:40>", "cohere api key", "co api key"),
    "mistral_key": named("<alnum:32>", "mistral api key"),
    "together_key": named("<hex:64>", "together api key"),
    "elevenlabs_key": prefixed("sk_<hex:48>", "elevenlabs api key", "xi api key"),
    "langsmith_key": prefixed(
        of("lsv2_", either("pt", "sk"), "_", (HEX, 32), "_", (HEX, 10)), "langsmith api key"
    ),
    "langfuse_key": prefixed("sk-lf-<uuid>", "langfuse secret key"),
    "pinecone_key": prefixed("pcsk_<alnum:6>_<alnum:63>", "pinecone api key"),
    "wandb_key": named("<hex:40>", "wandb api key"),
    "tavily_key": prefixed("tvly-<alnum:32>", "tavily api key"),
    # Code hosts.
    "github_personal_token": prefixed(checked("ghp_", 36), "github token", "gh token", "gh pat"),
    "github_oauth_token": prefixed(checked("gho_", 36), "github oauth token"),
    "github_server_token": prefixed(checked("ghs_", 36), "github token"),
    "github_refresh_token": prefixed("ghr_<alnum:76>", "github refresh token"),
    "github_fine_token": prefixed("github_pat_<alnum:22>_<alnum:59>", "github pat"),
    "gitlab_personal_token": prefixed("glpat-<urlsafe:20>", "gitlab token", "gitlab private token"),
    "gitlab_routable_token": prefixed("glpat-<urlsafe:27>.01.<lownum:9>", "gitlab token"),
    "gitlab_runner_token": prefixed("glrt-<urlsafe:20>", "runner token"),
    "gitlab_deploy_token": prefixed("gldt-<urlsafe:20>", "ci deploy password"),
    "bitbucket_app_password": prefixed("ATBB<alnum:32>", "bitbucket app password"),
    "atlassian_token": prefixed(
        "ATATT3xFfGF0<urlsafe:171>=<upnum:8>", "jira api token", "confluence token"
    ),
    "gitea_token": named("<hex:40>", "gitea token", "forgejo api token"),
    "azure_devops_token": named("<lownum:52>", "azure devops ext pat", "system accesstoken"),
    # Registries of packages and images.
    "npm_token": prefixed(checked("npm_", 36), "npm token", "node auth token"),
    "pypi_token": prefixed("pypi-AgEIcHlwaS5vcmc<urlsafe:150>", "pypi token", "twine password"),
    "rubygems_key": prefixed("rubygems_<hex:48>", "rubygems api key", "gem host api key"),
    "crates_token": prefixed("cio<alnum:32>", "cargo registry token"),
    "nuget_key": prefixed("oy2<lownum:43>", "nuget api key"),
    "docker_hub_token": prefixed("dckr_pat_<urlsafe:27>", "docker password", "hub token"),
    "artifactory_key": prefixed("AKCp<alnum:69>", "artifactory api key", "jfrog api key"),
    # Builds, errors, measures.
    "circleci_token": prefixed("CCIPAT_<alnum:22>_<hex:40>", "circle token"),
    "buildkite_token": prefixed("bkua_<hex:40>", "buildkite api token"),
    "travis_token": named("<urlsafe:22>", "travis api token"),
    "codecov_token": named(uuid, "codecov token"),
    "snyk_token": named(uuid, "snyk token"),
    "sonar_token": prefixed(of(either("sqp_", "squ_", "sqa_"), (HEX, 40)), "sonar token"),
    "sentry_token": prefixed("sntryu_<hex:64>", "sentry auth token"),
    "sentry_org_token": prefixed("sntrys_eyJpYXQiOjE3<alnum:120>_<alnum:43>", "sentry auth token"),
    "datadog_api_key": named("<hex:32>", "dd api key", "datadog api key"),
    "datadog_app_key": named("<hex:40>", "dd app key", "dd application key"),
    "new_relic_user_key": prefixed("NRAK-<upnum:27>", "new relic api key"),
    "new_relic_license": named("<hex:36>FFFFNRAL", "new relic license key"),
    "grafana_service_token": prefixed("glsa_<alnum:32>_<hex:8>", "grafana token"),
    "grafana_cloud_token": prefixed("glc_eyJvIjoi<alnum:96>", "grafana cloud api key"),
    "honeycomb_key": prefixed("hcaik_01<lownum:56>", "honeycomb api key"),
    "pagerduty_key": named("u+<urlsafe:18>", "pagerduty api token"),
    "rollbar_token": named("<hex:32>", "rollbar access token", "rollbar post server item"),
    "dynatrace_token": prefixed("dt0c01.<base32:24>.<base32:64>", "dt api token"),
    "logdna_key": named("<hex:32>", "logdna ingestion key"),
    # Identity.
    "okta_token": named("00<urlsafe:40>", "okta api token"),
    "auth0_client_secret": named("<urlsafe:64>", "auth0 client secret"),
    "keycloak_client_secret": named(
        either(uuid, "<alnum:32>"), "keycloak client secret", "oidc client secret"
    ),
    "clerk_key": prefixed("sk_live_<alnum:50>", "clerk secret key"),
    "onepassword_service": prefixed(
        "ops_eyJ<alnum:220>", "op service account token", "onepassword token"
    ),
    "jwt_bearer": prefixed(jwt, "access token", "id token", "service token"),
    "jwt_signing_secret": named(
        either(base64_bytes(32), base64_bytes(48), "<hex:64>"),
        "jwt secret",
        "jwt signing key",
        "token signing secret",
    ),
    "workos_key": prefixed("sk_live_a2V5Xz<alnum:40>", "workos api key"),
    "yubico_key": named(base64_bytes(20), "yubico secret key"),
    "recaptcha_secret": named("6L<urlsafe:38>", "recaptcha secret key", "recaptcha secret"),
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
    "totp_in_settings": named("<base32:32>", "totp secret", "mfa secret", "otp seed"),
    "numeric_pin": named("<digits:8>", "hsm pin", "pkcs11 pin", "luna partition pin"),
}
