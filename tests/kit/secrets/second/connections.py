"""Connection strings of databases, brokers, clouds and mail; signed addresses and hooks."""

from __future__ import annotations

from tests.kit.secrets.planted import Maker
from tests.kit.secrets.second.draws import (
    ALNUM,
    DIGITS,
    HEX,
    LOWNUM,
    URLSAFE,
    base64_bytes,
    either,
    of,
    opaque,
    password,
    percent_encoded,
    tame,
    uuid,
)
from tests.kit.secrets.second.shapes import planted

IN_URL = either(tame, percent_encoded(password))
SLACK_PATH = of("T0", (ALNUM[:36], 9), "/B0", (ALNUM[:36], 9), "/", (ALNUM, 24))
STORAGE_SIGNATURE = percent_encoded(base64_bytes(32))

KINDS: dict[str, Maker] = {
    "postgres_url": planted(IN_URL)("""
        DATABASE_URL=postgres://«user»:«secret»@«host»:5432/«db»?sslmode=require
        ~~~
        engine = create_engine("postgresql+psycopg2://«user»:«secret»@«host»/«db»")
        ~~~
        url: 'postgresql://«user»:«secret»@«ip»:6432/«db»'
        ~~~
        jdbc:postgresql://«host»/«db»?user=«user»&password=«secret»
    """),
    "mysql_url": planted(IN_URL)("""
        mysql://«user»:«secret»@«host»:3306/«db»
        ~~~
        SQLALCHEMY_DATABASE_URI = "mysql+pymysql://«user»:«secret»@«host»/«db»?charset=utf8mb4"
        ~~~
        jdbc:mysql://«host»:3306/«db»?user=«user»&password=«secret»&useSSL=true
        ~~~
        db, err := sql.Open("mysql", "«user»:«secret»@tcp(«ip»:3306)/«db»")
    """),
    "mongo_url": planted(IN_URL)("""
        MONGO_URI=mongodb://«user»:«secret»@«host»:27017/«db»?authSource=admin
        ~~~
        mongoose.connect('mongodb+srv://«user»:«secret»@«word».mongodb.net/«db»?w=majority')
        ~~~
        mongodb://«user»:«secret»@«host»:27017,«ip»:27017/«db»?replicaSet=rs0
    """),
    "redis_url": planted(IN_URL)("""
        REDIS_URL=redis://:«secret»@«host»:6379/0
        ~~~
        "cache": "rediss://default:«secret»@«host»:6380"
        ~~~
        CELERY_BROKER_URL = 'redis://«user»:«secret»@«ip»:6379/1'
        ~~~
        «host»:6380,password=«secret»,ssl=True,abortConnect=False
    """),
    "broker_url": planted(IN_URL)("""
        amqp://«user»:«secret»@«host»:5672/%2f
        ~~~
        CLOUDAMQP_URL="amqps://«user»:«secret»@«host»/«user»"
        ~~~
        nats://«user»:«secret»@«host»:4222
        ~~~
        mqtt://«user»:«secret»@«ip»:1883
    """),
    "sqlserver_string": planted(tame)("""
        Server=tcp:«host»,1433;Initial Catalog=«db»;User ID=«user»;Password=«secret»;Encrypt=True;
        ~~~
        "Data Source=«ip»;Initial Catalog=«db»;uid=«user»;pwd=«secret»"
        ~~~
        jdbc:sqlserver://«host»:1433;databaseName=«db»;user=«user»;password=«secret»;
        ~~~
        Host=«host»;Port=5432;Username=«user»;Password=«secret»;Database=«db»
    """),
    "other_store_urls": planted(IN_URL)("""
        clickhouse://«user»:«secret»@«host»:9000/«db»
        ~~~
        snowflake://«user»:«secret»@«company»/«db»/public?warehouse=wh
        ~~~
        oracle+cx_oracle://«user»:«secret»@«host»:1521/?service_name=ORCL
        ~~~
        bolt://neo4j:«secret»@«host»:7687
        ~~~
        https://elastic:«secret»@«host»:9200
        ~~~
        couchdb: http://admin:«secret»@«ip»:5984/«db»
        ~~~
        ldap://cn=«user»:«secret»@«host»:389
    """),
    "file_urls": planted(IN_URL)("""
        ftp://«user»:«secret»@«host»/incoming/
        ~~~
        sftp://«user»:«secret»@«ip»:2222/upload
        ~~~
        smtps://«user»:«secret»@smtp.«domain»:465
        ~~~
        MAILER_DSN=smtp://«user»:«secret»@«host»:587
        ~~~
        rtsp://admin:«secret»@«ip»:554/stream1
        ~~~
        webdav: https://«user»:«secret»@dav.«domain»/remote.php
    """),
    "proxy_url": planted(IN_URL)("""
        export https_proxy=http://«user»:«secret»@proxy.«domain»:3128
        ~~~
        HTTP_PROXY="http://«user»:«secret»@«ip»:8080"
        ~~~
        Acquire::http::Proxy "http://«user»:«secret»@«host»:3128";
        ~~~
        socks5://«user»:«secret»@«ip»:1080
    """),
    "azure_storage_string": planted(base64_bytes(64))("""
        DefaultEndpointsProtocol=https;AccountName=«word»;AccountKey=«secret»;EndpointSuffix=core.windows.net
        ~~~
        AZURE_STORAGE_CONNECTION_STRING="AccountName=«word»;AccountKey=«secret»"
        ~~~
        AccountEndpoint=https://«word».documents.azure.com:443/;AccountKey=«secret»;
    """),
    "azure_bus_string": planted(base64_bytes(32))("""
        Endpoint=sb://«word».servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=«secret»
        ~~~
        HostName=«word».azure-devices.net;SharedAccessKeyName=owner;SharedAccessKey=«secret»
        ~~~
        HostName=«word».azure-devices.net;DeviceId=«app»1;SharedAccessKey=«secret»
    """),
    "azure_signed_url": planted(STORAGE_SIGNATURE)("""
        https://«word».blob.core.windows.net/dump/«db».bak?sv=2022-11-02&se=«date»&sp=r&sig=«secret»
        ~~~
        azcopy copy . "https://«word».blob.core.windows.net/in?sp=rwl&sv=2022-11-02&sr=c&sig=«secret»"
        ~~~
        SharedAccessSignature sr=«word».azure-devices.net&sig=«secret»&se=1790000000&skn=owner
    """),
    "aws_signed_url": planted(of((HEX, 64)))("""
        https://«word».s3.amazonaws.com/«db».sql?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=«accesskey»%2F20260302%2F«region»%2Fs3%2Faws4_request&X-Amz-Expires=900&X-Amz-Signature=«secret»
        ~~~
        wget 'https://«word».s3.«region».amazonaws.com/a.tgz?X-Amz-Expires=3600&X-Amz-Signature=«secret»'
        ~~~
        Location: https://s3.«region».amazonaws.com/«word»/r.pdf?X-Amz-Date=20260302T101500Z&X-Amz-SignedHeaders=host&X-Amz-Signature=«secret»
    """),
    "google_signed_url": planted(of((HEX, 512)))("""
        https://storage.googleapis.com/«word»/a.csv?X-Goog-Expires=600&X-Goog-Signature=«secret»
        ~~~
        "signedUrl": "https://storage.googleapis.com/«word»/b?X-Goog-Date=20260302&X-Goog-Signature=«secret»"
    """),
    "slack_webhook": planted(SLACK_PATH)("""
        curl -X POST --data '{"text":"ok"}' https://hooks.slack.com/services/«secret»
        ~~~
        SLACK_WEBHOOK_URL=https://hooks.slack.com/services/«secret»
        ~~~
        slack_api_url: 'https://hooks.slack.com/services/«secret»'
    """),
    "discord_webhook": planted(of((URLSAFE, 68)))("""
        DISCORD_WEBHOOK="https://discord.com/api/webhooks/11«num10»42731/«secret»"
        ~~~
        requests.post('https://discordapp.com/api/webhooks/98«num10»01522/«secret»', json=body)
    """),
    "teams_webhook": planted(of((HEX, 32), "/", uuid))("""
        https://«company».webhook.office.com/webhookb2/«uuid»@«uuid»/IncomingWebhook/«secret»
        ~~~
        TEAMS_HOOK=https://outlook.office.com/webhook/«uuid»@«uuid»/IncomingWebhook/«secret»
    """),
    "automation_webhook": planted(of((LOWNUM, 32)))("""
        https://hooks.zapier.com/hooks/catch/«num10»/«secret»/
        ~~~
        https://hook.eu1.make.com/«secret»
        ~~~
        curl -X POST https://api.render.com/deploy/srv-«id8»?key=«secret»
    """),
    "url_parameters": planted(opaque)("""
        GET /v1/«app»?api_key=«secret»&limit=50 HTTP/1.1
        ~~~
        http://localhost:8888/tree?token=«secret»
        ~~~
        https://«host»/feed.xml?access_token=«secret»
        ~~~
        wss://stream.«domain»/?auth=«secret»&v=2
        ~~~
        https://portal.«domain»/reset-password?token=«secret»&email=«email»
        ~~~
        https://app.«domain»/auth/magic?login_token=«secret»
    """),
    "telegram_url": planted(of((DIGITS[1:], 10), ":AA", (URLSAFE, 33)))("""
        https://api.telegram.org/bot«secret»/sendMessage?chat_id=-100«num10»
        ~~~
        curl -s "https://api.telegram.org/bot«secret»/getMe"
    """),
    "sentry_old_dsn": planted(of((HEX, 32)))("""
        SENTRY_DSN=https://«hex32»:«secret»@sentry.«domain»/42
        ~~~
        Raven.config('https://«hex32»:«secret»@sentry.«domain»/7').install()
    """),
    "cloudinary_url": planted(of((URLSAFE, 27)))("""
        CLOUDINARY_URL=cloudinary://48«num10»551:«secret»@«word»
        ~~~
        cloudinary.config(cloud_name="«word»", api_key="48«num10»551", api_secret="«secret»")
    """),
}
