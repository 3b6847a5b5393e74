"""Secrets in files: settings, deployments, credentials, connection strings, source code."""

from __future__ import annotations

from tests.kit.secrets.planted import Maker
from tests.kit.secrets.second.draws import (
    ALNUM,
    DIGITS,
    HEX,
    URLSAFE,
    base64_bytes,
    either,
    in_base64,
    in_xml,
    login,
    of,
    opaque,
    password,
    percent_encoded,
    tame,
    uuid,
)
from tests.kit.secrets.second.shapes import all_standing, standing

IN_URL = either(tame, percent_encoded(password))
SLACK_PATH = of("T0", (ALNUM[:36], 9), "/B0", (ALNUM[:36], 9), "/", (ALNUM, 24))
STORAGE_SIGNATURE = percent_encoded(base64_bytes(32))

KINDS: dict[str, Maker] = {
    **all_standing(
        tame,
        {
            "dotenv": "APP_ENV=«stage»\nDB_HOST=«host»\nDB_USERNAME=«user»\nDB_PASSWORD=«secret»",
            "spring_yaml": (
                "spring:\n  datasource:\n    url: jdbc:postgresql://«host»:5432/«db»\n"
                "    username: «user»\n    password: «secret»"
            ),
            "rails_database": (
                '«stage»: {adapter: mysql2, host: «host», username: «user», password: "«secret»"}'
            ),
            "grafana_ini": "[security]\nadmin_user = admin\nadmin_password = «secret»",
            "compose": "    command: redis-server --requirepass «secret» --appendonly yes",
            "helm_values": (
                "postgresql:\n  auth:\n    username: «user»\n    password: «secret»\n    "
                "database: «db»"
            ),
            "pillar": "«app»::database::password: '«secret»'",
            "systemd_unit": "ExecStart=/opt/«app»/run --user «user» --password «secret»",
            "cloud_init": "password: «secret»\nchpasswd: {expire: false}\nssh_pwauth: true",
            "actions_env": "environment { NEXUS_CREDS_PSW = '«secret»' }",
            "netrc": "default login «email» password «secret»",
            "pgpass": "$ cat ~/.pgpass\n*:*:*:«user»:«secret»",
            "my_cnf": '[mysqldump]\nuser = «user»\npassword = "«secret»"\nhost = «host»',
            "wifi": 'network={\n    ssid="«word»"\n    psk="«secret»"\n}',
            "network_gear": "hostname «word»-sw1\nusername «user» privilege 15 password 0 «secret»",
            "mail_accounts": "account default\nhost smtp.«domain»\nuser «email»\npassword «secret»",
            "servers_etc": "stats auth admin:«secret»",
            "smb_credentials": (
                "//«ip»/share /mnt/share cifs username=«user»,password=«secret»,uid=1000 0 0"
            ),
            "jaas": "ssl.keystore.password=«secret»\nssl.keystore.location=/etc/kafka/«app».jks",
            "odbc": "[«db»]\nDriver = PostgreSQL\nUID = «user»\nPWD = «secret»",
            "editor_settings": (
                "<Server><Host>«host»</Host><User>«user»</User><Pass>«secret»</Pass></Server>"
            ),
            "pypirc": (
                "[distutils]\nindex-servers = internal\n[internal]\nusername = «user»\n"
                "password = «secret»"
            ),
            "pip_index": "[global]\nindex-url = https://«user»:«secret»@pypi.«domain»/simple",
            "git_credentials": (
                "origin\thttps://«user»:«secret»@git.«domain»/«company»/«app».git (fetch)"
            ),
            "gradle_properties": "nexusUsername=«user»\nnexusPassword=«secret»",
            "sqlserver_string": (
                "Server=tcp:«host»,1433;Initial Catalog=«db»;User "
                "ID=«user»;Password=«secret»;Encrypt=True;"
            ),
            "other_languages": 'let apiSecret = "«secret»" // Swift',
            "sql_rows": (
                "COPY sales FROM 's3://«word»/x' CREDENTIALS\n"
                "  'aws_access_key_id=«accesskey»;aws_secret_access_key=«secret»';"
            ),
            "tests_and_fixtures": 'Given I log in as "«user»" with password "«secret»"',
        },
    ),
    **all_standing(
        password,
        {
            "spring_properties": "spring.mail.password = «secret»",
            "django_databases": (
                "'default': {'NAME': '«db»', 'USER': '«user»', 'PASSWORD': '«secret»'},"
            ),
            "appsettings": (
                '{"ConnectionStrings": {\n'
                '  "Default": "Server=«host»;Database=«db»;User '
                'Id=«user»;Password=«secret»;Encrypt=True"\n}}'
            ),
            "wordpress": 'define("DB_PASSWORD", "«secret»");',
            "php_arrays": "$CFG->dbuser = '«user»'; $CFG->dbpass = '«secret»';",
            "kubernetes_string_data": "stringData:\n  DATABASE_PASSWORD: '«secret»'\nkind: Secret",
            "terraform_vars": 'region         = "«region»"\nadmin_password = "«secret»"',
            "terraform_state": (
                '    "outputs": {\n      "db_password": {\n        "value": "«secret»",\n'
                '        "type": "string",\n        "sensitive": true\n      }\n    },'
            ),
            "ansible": "vars:\n  mysql_root_password: '«secret»'",
            "python": "os.environ.setdefault('ADMIN_PASS', '«secret»')",
            "javascript": 'process.env.DB_PASS = "«secret»";',
            "java": '@Value("${db.password:«secret»}") String dbPassword;',
            "go": 'os.Setenv("DB_PASSWORD", "«secret»")',
            "ruby": "Mysql2::Client.new(host: '«host»', username: '«user»', password: '«secret»')",
            "php": 'const DB_PASS = "«secret»";',
            "csharp": (
                'var secure = new SecureString(); foreach (var c in "«secret»") '
                "secure.AppendChar(c);"
            ),
            "sql_users": "ALTER ROLE «user» WITH LOGIN PASSWORD '«secret»';",
        },
    ),
    **all_standing(
        opaque,
        {
            "npmrc": "npm config set //npm.«domain»/:_authToken «secret»",
            "yarnrc": "npmAuthToken: «secret»",
            "cargo_credentials": '[registry]\ntoken = "Bearer «secret»"',
            "composer_auth": "composer config --global http-basic.repo.«domain» «user» «secret»",
            "bundler": "bundle config set --global gems.«domain» «user»:«secret»",
            "url_parameters": "http://localhost:8888/tree?token=«secret»",
            "python_tokens": 'API_TOKEN: Final = "«secret»"',
            "typescript_tokens": 'private readonly apiToken: string = "«secret»";',
            "notebook_cells": ">>> token = '«secret»'",
        },
    ),
    **all_standing(
        IN_URL,
        {
            "postgres_url": (
                "DATABASE_URL=postgres://«user»:«secret»@«host»:5432/«db»?sslmode=require"
            ),
            "mysql_url": (
                'SQLALCHEMY_DATABASE_URI = "mysql+pymysql://«user»:«secret»@«host»/«db»?'
                'charset=utf8mb4"'
            ),
            "mongo_url": "mongodb://«user»:«secret»@«host»:27017,«ip»:27017/«db»?replicaSet=rs0",
            "redis_url": "CELERY_BROKER_URL = 'redis://«user»:«secret»@«ip»:6379/1'",
            "broker_url": "amqp://«user»:«secret»@«host»:5672/%2f",
            "other_store_urls": "bolt://neo4j:«secret»@«host»:7687",
            "file_urls": "rtsp://admin:«secret»@«ip»:554/stream1",
            "proxy_url": 'HTTP_PROXY="http://«user»:«secret»@«ip»:8080"',
        },
    ),
    **all_standing(
        in_base64(login),
        {
            "npmrc_basic": "_auth=«secret»\nemail=«email»",
            "git_extraheader": (
                "http.https://git.«domain»/.extraheader=AUTHORIZATION: basic «secret»"
            ),
            "docker_config": (
                '{\n    "auths": {\n        "https://index.docker.io/v1/": {\n'
                '            "auth": "«secret»"\n        }\n    },\n    "credsStore": ""\n}'
            ),
        },
    ),
    "laravel": standing(base64_bytes(32), "'key' => env('APP_KEY', 'base64:«secret»'),"),
    "azure_bus_string": standing(
        base64_bytes(32),
        "Endpoint=sb://«word».servicebus.windows.net/;SharedAccessKeyName=Root;SharedAcce"
        "ssKey=«secret»",
    ),
    "web_config": standing(
        in_xml(password),
        '<network host="«host»" userName="«user»" password="«secret»" port="587" />',
    ),
    "maven_settings": standing(
        in_xml(password),
        "<server><id>nexus</id><username>«user»</username><password>«secret»</password></server>",
    ),
    "jenkins_credentials": standing(in_xml(tame), "<secret>«secret»</secret><id>«app»-hook</id>"),
    "nuget_config": standing(
        in_xml(tame),
        "nuget sources add -Name internal -Source https://«host» -Username «user» "
        "-Password «secret»",
    ),
    "aws_credentials": standing(
        "<base64:40>",
        "[«stage»]\naws_secret_access_key=«secret»\naws_access_key_id=«accesskey»\nregion=«region»",
    ),
    "s3_clients": standing(
        "<base64:40>", "[default]\naccess_key = «accesskey»\nsecret_key = «secret»"
    ),
    "rails_keys": standing(
        either("<hex:128>", "<hex:32>"), "production:\n  secret_key_base: «secret»"
    ),
    "django_secret_key": standing(
        of((ALNUM + "!@#%^&*(-_=+)", 50)), 'DJANGO_SECRET_KEY="«secret»"'
    ),
    "flask_secret_key": standing(either("<hex:64>", "<hex:48>"), 'app.secret_key = "«secret»"'),
    "phoenix": standing(base64_bytes(48), "SECRET_KEY_BASE=«secret» mix phx.server"),
    "express_session": standing(
        either("<alnum:32>", password),
        "cookieSession({ name: 'sid', keys: [\"«secret»\"], maxAge: 86400 })",
    ),
    "machine_key": standing(
        of((HEX.upper(), 128)),
        '<machineKey decryption="AES" validation="SHA1"\n    validationKey="«secret»"/>',
    ),
    "mcp_servers": standing(
        either("<alnum:40>", "<hex:40>"),
        '"headers": { "X-API-Key": "«secret»" }, "url": "https://mcp.«domain»/sse"',
    ),
    "kubernetes_secret": standing(
        in_base64(password),
        'kind: Secret\ndata:\n    postgres-password: "«secret»"\n'
        "metadata: {name: «app», uid: «uuid»}",
    ),
    "aws_sts": standing(
        base64_bytes(360, b"\x17\x0f\x16\x57"), "export AWS_SESSION_TOKEN=«secret»"
    ),
    "kubeconfig_token": standing(
        either(opaque, "k8s-aws-v1.<urlsafe:300>"),
        "users:\n- name: «user»\n  user:\n    token: «secret»",
    ),
    "azure_profile": standing(
        "<alnum:3>8Q~<urlsafe:34>",
        '{"clientId": "«uuid»", "clientSecret": "«secret»", "tenantId": "«uuid»"}',
    ),
    "vpn_psk": standing(
        either(password, base64_bytes(24)), 'leftid=«domain»\n«user» : EAP "«secret»"'
    ),
    "subscription_keys": standing(either("<hex:32>", uuid, "<upper:25>"), "license_key = «secret»"),
    "gh_hosts": standing(
        "gho_<alnum:36>",
        "github.com\n  Logged in to github.com account «user»\n  - Token: «secret»",
    ),
    "azure_storage_string": standing(
        base64_bytes(64),
        "AccountEndpoint=https://«word».documents.azure.com:443/;AccountKey=«secret»;",
    ),
    "azure_signed_url": standing(
        STORAGE_SIGNATURE,
        "https://«word».blob.core.windows.net/dump/«db».bak?sv=2022-11-02&se=«date»&sp=r&"
        "sig=«secret»",
    ),
    "aws_signed_url": standing(
        "<hex:64>",
        "Location: "
        "https://s3.«region».amazonaws.com/«word»/r.pdf?X-Amz-Date=20260302T101500Z&X-Amz"
        "-SignedHeaders=host&X-Amz-Signature=«secret»",
    ),
    "google_signed_url": standing(
        "<hex:512>",
        '"signedUrl": '
        '"https://storage.googleapis.com/«word»/b?X-Goog-Date=20260302&X-Goog-Signature=«'
        'secret»"',
    ),
    "slack_webhook": standing(
        SLACK_PATH,
        'curl -X POST --data \'{"text":"ok"}\' https://hooks.slack.com/services/«secret»',
    ),
    "discord_webhook": standing(
        "<urlsafe:68>", 'DISCORD_WEBHOOK="https://discord.com/api/webhooks/11«num10»42731/«secret»"'
    ),
    "teams_webhook": standing(
        "<hex:32>/<uuid>",
        "https://«company».webhook.office.com/webhookb2/«uuid»@«uuid»/IncomingWebhook/«secret»",
    ),
    "automation_webhook": standing(
        "<lownum:32>", "curl -X POST https://api.render.com/deploy/srv-«id8»?key=«secret»"
    ),
    "telegram_url": standing(
        of((DIGITS[1:], 10), ":AA", (URLSAFE, 33)),
        "https://api.telegram.org/bot«secret»/sendMessage?chat_id=-100«num10»",
    ),
    "sentry_old_dsn": standing(
        "<hex:32>", "SENTRY_DSN=https://«hex32»:«secret»@sentry.«domain»/42"
    ),
    "cloudinary_url": standing(
        "<urlsafe:27>", "CLOUDINARY_URL=cloudinary://48«num10»551:«secret»@«word»"
    ),
    "crypto_constants": standing(
        either("<hex:64>", base64_bytes(32), "<hex:32>"),
        "openssl enc -d -aes-256-cbc -K «secret» -iv «hex32» -in a.enc",
    ),
}
