"""Passwords and tokens in the files programs keep in a home directory or under /etc."""

from __future__ import annotations

from tests.kit.secrets.planted import Maker
from tests.kit.secrets.second.draws import (
    ALNUM,
    BASE64,
    HEX,
    UPPER,
    URLSAFE,
    base64_bytes,
    either,
    of,
    opaque,
    password,
    tame,
    uuid,
)
from tests.kit.secrets.second.shapes import planted

KINDS: dict[str, Maker] = {
    "netrc": planted(tame)("""
        machine api.«domain» login «user» password «secret»
        ~~~
        machine git.«domain»
          login «user»
          password «secret»
        ~~~
        default login «email» password «secret»
    """),
    "pgpass": planted(tame)("""
        «host»:5432:«db»:«user»:«secret»
        ~~~
        $ cat ~/.pgpass
        *:*:*:«user»:«secret»
        ~~~
        $ cat /root/.pgpass
        «ip»:6432:*:«user»:«secret»
    """),
    "my_cnf": planted(tame)("""
        [client]
        user=«user»
        password=«secret»
        ~~~
        [mysqldump]
        user = «user»
        password = "«secret»"
        host = «host»
    """),
    "aws_credentials": planted(of((BASE64, 40)))("""
        [default]
        aws_access_key_id = «accesskey»
        aws_secret_access_key = «secret»
        ~~~
        [«stage»]
        aws_secret_access_key=«secret»
        aws_access_key_id=«accesskey»
        region=«region»
        ~~~
        «app»,«accesskey»,«secret»
    """),
    "aws_sts": planted(base64_bytes(360, b"\x17\x0f\x16\x57"))("""
        {"Credentials": {"AccessKeyId": "«accesskey»", "SessionToken": "«secret»",
         "Expiration": "2026-03-02T«time»Z"}}
        ~~~
        export AWS_SESSION_TOKEN=«secret»
        ~~~
        aws_session_token = «secret»
    """),
    "kubeconfig_token": planted(either(opaque, of("k8s-aws-v1.", (URLSAFE, 300))))("""
        users:
        - name: «user»
          user:
            token: «secret»
        ~~~
        kubectl --server https://«host»:6443 --token=«secret» get pods
    """),
    "azure_profile": planted(of((ALNUM, 3), "8Q~", (URLSAFE, 34)))("""
        {"clientId": "«uuid»", "clientSecret": "«secret»", "tenantId": "«uuid»"}
        ~~~
        {
          "appId": "«uuid»",
          "displayName": "«app»",
          "password": "«secret»",
          "tenant": "«uuid»"
        }
        ~~~
        az login --service-principal -u «uuid» -p «secret» --tenant «uuid»
    """),
    "s3_clients": planted(of((BASE64, 40)))("""
        [default]
        access_key = «accesskey»
        secret_key = «secret»
        ~~~
        [remote]
        type = s3
        access_key_id = «accesskey»
        secret_access_key = «secret»
        ~~~
        mc alias set store https://«host»:9000 «accesskey» «secret»
        ~~~
        echo «accesskey»:«secret» > ~/.passwd-s3fs
    """),
    "wifi": planted(tame)("""
        network={
            ssid="«word»"
            psk="«secret»"
        }
        ~~~
        [wifi-security]
        key-mgmt=wpa-psk
        psk=«secret»
        ~~~
        access-points: {"«word»": {password: "«secret»"}}
        ~~~
        nmcli dev wifi connect «word» password «secret»
    """),
    "vpn_psk": planted(either(password, base64_bytes(24)))("""
        «ip» «host» : PSK "«secret»"
        ~~~
        %any : PSK "«secret»"
        ~~~
        leftid=«domain»
        «user» : EAP "«secret»"
    """),
    "network_gear": planted(tame)("""
        hostname «word»-sw1
        username «user» privilege 15 password 0 «secret»
        ~~~
        enable secret 0 «secret»
        ~~~
        snmp-server community «secret» RW
        ~~~
        radius-server host «ip» key «secret»
        ~~~
        client «ip» {
          secret = «secret»
        }
    """),
    "mail_accounts": planted(tame)("""
        [smtp.«domain»]:587 «email»:«secret»
        ~~~
        account default
        host smtp.«domain»
        user «email»
        password «secret»
        ~~~
        set smtp_pass = "«secret»"
        ~~~
        smtp_auth_username: '«email»'
        smtp_auth_password: '«secret»'
    """),
    "servers_etc": planted(tame)("""
        # redis.conf
        requirepass «secret»
        ~~~
        masterauth "«secret»"
        ~~~
        stats auth admin:«secret»
        ~~~
        default_pass = «secret»
        default_user = «user»
        ~~~
        "«user»" "«secret»"
        "pgbouncer_admin" "md5«hex32»"
        ~~~
        bindpw «secret»
        binddn cn=«user»,dc=«word»,dc=io
    """),
    "smb_credentials": planted(tame)("""
        username=«user»
        password=«secret»
        domain=«word»
        ~~~
        //«ip»/share /mnt/share cifs username=«user»,password=«secret»,uid=1000 0 0
    """),
    "jaas": planted(tame)("""
        sasl.mechanism=SCRAM-SHA-512
        sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required \\
          username="«user»" password="«secret»";
        ~~~
        KafkaClient { org.apache.kafka.common.security.plain.PlainLoginModule required
          username="«user»"
          password="«secret»"; };
        ~~~
        ssl.keystore.password=«secret»
        ssl.keystore.location=/etc/kafka/«app».jks
    """),
    "odbc": planted(tame)("""
        [«db»]
        Driver = PostgreSQL
        UID = «user»
        PWD = «secret»
        ~~~
        Driver={ODBC Driver 18 for SQL Server};Server=«host»;UID=«user»;PWD={«secret»};
    """),
    "subscription_keys": planted(either(of((HEX, 32)), uuid, of((UPPER, 25))))("""
        Ocp-Apim-Subscription-Key: «secret»
        ~~~
        license_key = «secret»
        ~~~
        "subscriptionKey": "«secret»", "location": "westeurope"
    """),
    "editor_settings": planted(tame)("""
        {"name": "«stage»", "host": "«host»", "username": "«user»", "password": "«secret»",
         "remotePath": "/var/www", "uploadOnSave": true}
        ~~~
        "sqltools.connections": [{"server": "«host»", "username": "«user»", "password": "«secret»"}]
        ~~~
        <Server><Host>«host»</Host><User>«user»</User><Pass>«secret»</Pass></Server>
    """),
}
