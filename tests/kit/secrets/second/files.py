"""Secrets in files: settings, deployments, credentials, connection strings, source code."""

from __future__ import annotations

from tests.kit.secrets.planted import Maker
from tests.kit.secrets.second.draws import (
    ALNUM,
    BASE64,
    DIGITS,
    HEX,
    LOWNUM,
    UPPER,
    URLSAFE,
    Value,
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
from tests.kit.secrets.second.shapes import standing

IN_URL = either(tame, percent_encoded(password))
SLACK_PATH = of("T0", (ALNUM[:36], 9), "/B0", (ALNUM[:36], 9), "/", (ALNUM, 24))
STORAGE_SIGNATURE = percent_encoded(base64_bytes(32))

STANDING: dict[str, tuple[Value, str]] = {
    # settings
    "dotenv": (tame, "APP_ENV=«stage»\nDB_HOST=«host»\nDB_USERNAME=«user»\nDB_PASSWORD=«secret»"),
    "spring_yaml": (
        tame,
        "spring:\n  datasource:\n    url: jdbc:postgresql://«host»:5432/«db»\n"
        "    username: «user»\n    password: «secret»",
    ),
    "spring_properties": (password, "spring.mail.password = «secret»"),
    "rails_database": (
        tame,
        '«stage»: {adapter: mysql2, host: «host», username: «user», password: "«secret»"}',
    ),
    "rails_keys": (
        either(of((HEX, 128)), of((HEX, 32))),
        "production:\n  secret_key_base: «secret»",
    ),
    "django_databases": (
        password,
        "'default': {'NAME': '«db»', 'USER': '«user»', 'PASSWORD': '«secret»'},",
    ),
    "django_secret_key": (of((ALNUM + "!@#%^&*(-_=+)", 50)), 'DJANGO_SECRET_KEY="«secret»"'),
    "flask_secret_key": (either(of((HEX, 64)), of((HEX, 48))), 'app.secret_key = "«secret»"'),
    "laravel": (base64_bytes(32), "'key' => env('APP_KEY', 'base64:«secret»'),"),
    "phoenix": (base64_bytes(48), "SECRET_KEY_BASE=«secret» mix phx.server"),
    "express_session": (
        either(of((ALNUM, 32)), password),
        "cookieSession({ name: 'sid', keys: [\"«secret»\"], maxAge: 86400 })",
    ),
    "appsettings": (
        password,
        '{"ConnectionStrings": {\n'
        '  "Default": "Server=«host»;Database=«db»;User '
        'Id=«user»;Password=«secret»;Encrypt=True"\n}}',
    ),
    "web_config": (
        in_xml(password),
        '<network host="«host»" userName="«user»" password="«secret»" port="587" />',
    ),
    "machine_key": (
        of((HEX.upper(), 128)),
        '<machineKey decryption="AES" validation="SHA1"\n    validationKey="«secret»"/>',
    ),
    "wordpress": (password, 'define("DB_PASSWORD", "«secret»");'),
    "php_arrays": (password, "$CFG->dbuser = '«user»'; $CFG->dbpass = '«secret»';"),
    "grafana_ini": (tame, "[security]\nadmin_user = admin\nadmin_password = «secret»"),
    "mcp_servers": (
        either(of((ALNUM, 40)), of((HEX, 40))),
        '"headers": { "X-API-Key": "«secret»" }, "url": "https://mcp.«domain»/sse"',
    ),
    # deployments
    "compose": (tame, "    command: redis-server --requirepass «secret» --appendonly yes"),
    "kubernetes_secret": (
        in_base64(password),
        'kind: Secret\ndata:\n    postgres-password: "«secret»"\n'
        "metadata: {name: «app», uid: «uuid»}",
    ),
    "kubernetes_string_data": (
        password,
        "stringData:\n  DATABASE_PASSWORD: '«secret»'\nkind: Secret",
    ),
    "helm_values": (
        tame,
        "postgresql:\n  auth:\n    username: «user»\n    password: «secret»\n    database: «db»",
    ),
    "terraform_vars": (password, 'region         = "«region»"\nadmin_password = "«secret»"'),
    "terraform_state": (
        password,
        '    "outputs": {\n      "db_password": {\n        "value": "«secret»",\n'
        '        "type": "string",\n        "sensitive": true\n      }\n    },',
    ),
    "ansible": (password, "vars:\n  mysql_root_password: '«secret»'"),
    "pillar": (tame, "«app»::database::password: '«secret»'"),
    "systemd_unit": (tame, "ExecStart=/opt/«app»/run --user «user» --password «secret»"),
    "cloud_init": (tame, "password: «secret»\nchpasswd: {expire: false}\nssh_pwauth: true"),
    "actions_env": (tame, "environment { NEXUS_CREDS_PSW = '«secret»' }"),
    "jenkins_credentials": (in_xml(tame), "<secret>«secret»</secret><id>«app»-hook</id>"),
    # dotfiles
    "netrc": (tame, "default login «email» password «secret»"),
    "pgpass": (tame, "$ cat ~/.pgpass\n*:*:*:«user»:«secret»"),
    "my_cnf": (tame, '[mysqldump]\nuser = «user»\npassword = "«secret»"\nhost = «host»'),
    "aws_credentials": (
        of((BASE64, 40)),
        "[«stage»]\naws_secret_access_key=«secret»\naws_access_key_id=«accesskey»\nregion=«region»",
    ),
    "aws_sts": (base64_bytes(360, b"\x17\x0f\x16\x57"), "export AWS_SESSION_TOKEN=«secret»"),
    "kubeconfig_token": (
        either(opaque, of("k8s-aws-v1.", (URLSAFE, 300))),
        "users:\n- name: «user»\n  user:\n    token: «secret»",
    ),
    "azure_profile": (
        of((ALNUM, 3), "8Q~", (URLSAFE, 34)),
        '{"clientId": "«uuid»", "clientSecret": "«secret»", "tenantId": "«uuid»"}',
    ),
    "s3_clients": (of((BASE64, 40)), "[default]\naccess_key = «accesskey»\nsecret_key = «secret»"),
    "wifi": (tame, 'network={\n    ssid="«word»"\n    psk="«secret»"\n}'),
    "vpn_psk": (either(password, base64_bytes(24)), 'leftid=«domain»\n«user» : EAP "«secret»"'),
    "network_gear": (tame, "hostname «word»-sw1\nusername «user» privilege 15 password 0 «secret»"),
    "mail_accounts": (tame, "account default\nhost smtp.«domain»\nuser «email»\npassword «secret»"),
    "servers_etc": (tame, "stats auth admin:«secret»"),
    "smb_credentials": (
        tame,
        "//«ip»/share /mnt/share cifs username=«user»,password=«secret»,uid=1000 0 0",
    ),
    "jaas": (tame, "ssl.keystore.password=«secret»\nssl.keystore.location=/etc/kafka/«app».jks"),
    "odbc": (tame, "[«db»]\nDriver = PostgreSQL\nUID = «user»\nPWD = «secret»"),
    "subscription_keys": (either(of((HEX, 32)), uuid, of((UPPER, 25))), "license_key = «secret»"),
    "editor_settings": (
        tame,
        "<Server><Host>«host»</Host><User>«user»</User><Pass>«secret»</Pass></Server>",
    ),
    # registries
    "npmrc": (opaque, "npm config set //npm.«domain»/:_authToken «secret»"),
    "npmrc_basic": (in_base64(login), "_auth=«secret»\nemail=«email»"),
    "yarnrc": (opaque, "npmAuthToken: «secret»"),
    "pypirc": (
        tame,
        "[distutils]\nindex-servers = internal\n[internal]\nusername = «user»\npassword = «secret»",
    ),
    "pip_index": (tame, "[global]\nindex-url = https://«user»:«secret»@pypi.«domain»/simple"),
    "git_credentials": (
        tame,
        "origin\thttps://«user»:«secret»@git.«domain»/«company»/«app».git (fetch)",
    ),
    "git_extraheader": (
        in_base64(login),
        "http.https://git.«domain»/.extraheader=AUTHORIZATION: basic «secret»",
    ),
    "docker_config": (
        in_base64(login),
        '{\n    "auths": {\n        "https://index.docker.io/v1/": {\n'
        '            "auth": "«secret»"\n        }\n    },\n    "credsStore": ""\n}',
    ),
    "maven_settings": (
        in_xml(password),
        "<server><id>nexus</id><username>«user»</username><password>«secret»</password></server>",
    ),
    "gradle_properties": (tame, "nexusUsername=«user»\nnexusPassword=«secret»"),
    "nuget_config": (
        in_xml(tame),
        "nuget sources add -Name internal -Source https://«host» -Username «user» "
        "-Password «secret»",
    ),
    "cargo_credentials": (opaque, '[registry]\ntoken = "Bearer «secret»"'),
    "composer_auth": (opaque, "composer config --global http-basic.repo.«domain» «user» «secret»"),
    "bundler": (opaque, "bundle config set --global gems.«domain» «user»:«secret»"),
    "gh_hosts": (
        of("gho_", (ALNUM, 36)),
        "github.com\n  Logged in to github.com account «user»\n  - Token: «secret»",
    ),
    # connections
    "postgres_url": (
        IN_URL,
        "DATABASE_URL=postgres://«user»:«secret»@«host»:5432/«db»?sslmode=require",
    ),
    "mysql_url": (
        IN_URL,
        'SQLALCHEMY_DATABASE_URI = "mysql+pymysql://«user»:«secret»@«host»/«db»?charset=utf8mb4"',
    ),
    "mongo_url": (IN_URL, "mongodb://«user»:«secret»@«host»:27017,«ip»:27017/«db»?replicaSet=rs0"),
    "redis_url": (IN_URL, "CELERY_BROKER_URL = 'redis://«user»:«secret»@«ip»:6379/1'"),
    "broker_url": (IN_URL, "amqp://«user»:«secret»@«host»:5672/%2f"),
    "sqlserver_string": (
        tame,
        "Server=tcp:«host»,1433;Initial Catalog=«db»;User "
        "ID=«user»;Password=«secret»;Encrypt=True;",
    ),
    "other_store_urls": (IN_URL, "bolt://neo4j:«secret»@«host»:7687"),
    "file_urls": (IN_URL, "rtsp://admin:«secret»@«ip»:554/stream1"),
    "proxy_url": (IN_URL, 'HTTP_PROXY="http://«user»:«secret»@«ip»:8080"'),
    "azure_storage_string": (
        base64_bytes(64),
        "AccountEndpoint=https://«word».documents.azure.com:443/;AccountKey=«secret»;",
    ),
    "azure_bus_string": (
        base64_bytes(32),
        "Endpoint=sb://«word».servicebus.windows.net/;SharedAccessKeyName=Root;SharedAcce"
        "ssKey=«secret»",
    ),
    "azure_signed_url": (
        STORAGE_SIGNATURE,
        "https://«word».blob.core.windows.net/dump/«db».bak?sv=2022-11-02&se=«date»&sp=r&"
        "sig=«secret»",
    ),
    "aws_signed_url": (
        of((HEX, 64)),
        "Location: "
        "https://s3.«region».amazonaws.com/«word»/r.pdf?X-Amz-Date=20260302T101500Z&X-Amz"
        "-SignedHeaders=host&X-Amz-Signature=«secret»",
    ),
    "google_signed_url": (
        of((HEX, 512)),
        '"signedUrl": '
        '"https://storage.googleapis.com/«word»/b?X-Goog-Date=20260302&X-Goog-Signature=«'
        'secret»"',
    ),
    "slack_webhook": (
        SLACK_PATH,
        'curl -X POST --data \'{"text":"ok"}\' https://hooks.slack.com/services/«secret»',
    ),
    "discord_webhook": (
        of((URLSAFE, 68)),
        'DISCORD_WEBHOOK="https://discord.com/api/webhooks/11«num10»42731/«secret»"',
    ),
    "teams_webhook": (
        of((HEX, 32), "/", uuid),
        "https://«company».webhook.office.com/webhookb2/«uuid»@«uuid»/IncomingWebhook/«secret»",
    ),
    "automation_webhook": (
        of((LOWNUM, 32)),
        "curl -X POST https://api.render.com/deploy/srv-«id8»?key=«secret»",
    ),
    "url_parameters": (opaque, "http://localhost:8888/tree?token=«secret»"),
    "telegram_url": (
        of((DIGITS[1:], 10), ":AA", (URLSAFE, 33)),
        "https://api.telegram.org/bot«secret»/sendMessage?chat_id=-100«num10»",
    ),
    "sentry_old_dsn": (of((HEX, 32)), "SENTRY_DSN=https://«hex32»:«secret»@sentry.«domain»/42"),
    "cloudinary_url": (
        of((URLSAFE, 27)),
        "CLOUDINARY_URL=cloudinary://48«num10»551:«secret»@«word»",
    ),
    # code
    "python": (password, "os.environ.setdefault('ADMIN_PASS', '«secret»')"),
    "python_tokens": (opaque, 'API_TOKEN: Final = "«secret»"'),
    "javascript": (password, 'process.env.DB_PASS = "«secret»";'),
    "typescript_tokens": (opaque, 'private readonly apiToken: string = "«secret»";'),
    "java": (password, '@Value("${db.password:«secret»}") String dbPassword;'),
    "go": (password, 'os.Setenv("DB_PASSWORD", "«secret»")'),
    "ruby": (
        password,
        "Mysql2::Client.new(host: '«host»', username: '«user»', password: '«secret»')",
    ),
    "php": (password, 'const DB_PASS = "«secret»";'),
    "csharp": (
        password,
        'var secure = new SecureString(); foreach (var c in "«secret»") secure.AppendChar(c);',
    ),
    "other_languages": (tame, 'let apiSecret = "«secret»" // Swift'),
    "sql_users": (password, "ALTER ROLE «user» WITH LOGIN PASSWORD '«secret»';"),
    "sql_rows": (
        tame,
        "COPY sales FROM 's3://«word»/x' CREDENTIALS\n"
        "  'aws_access_key_id=«accesskey»;aws_secret_access_key=«secret»';",
    ),
    "crypto_constants": (
        either(of((HEX, 64)), base64_bytes(32), of((HEX, 32))),
        "openssl enc -d -aes-256-cbc -K «secret» -iv «hex32» -in a.enc",
    ),
    "tests_and_fixtures": (tame, 'Given I log in as "«user»" with password "«secret»"'),
    "notebook_cells": (opaque, ">>> token = '«secret»'"),
}

KINDS: dict[str, Maker] = standing(STANDING)
