"""Secrets as they pass by: on command lines, in requests, in what people tell, in logs."""

from __future__ import annotations

from random import Random
from textwrap import wrap

from tests.kit.secrets.planted import Maker
from tests.kit.secrets.second.draws import (
    base64_bytes,
    either,
    in_base64,
    jwt,
    login,
    opaque,
    passphrase,
    password,
    percent_encoded,
    tame,
    unpadded,
    uuid,
)
from tests.kit.secrets.second.shapes import all_standing, standing

SESSION = either("<hex:32>", "<alnum:26>", "<urlsafe:43>", uuid)


def flask_session(chance: Random) -> str:
    """A signed cookie as Flask writes it: payload, time, signature."""
    payload = f'{{"_user_id":"{chance.randint(1, 9999)}","_fresh":true}}'.encode()
    stamp, signature = (unpadded(chance.randbytes(size)) for size in (4, 20))
    return f"{unpadded(payload)}.{stamp}.{signature}"


def saml(chance: Random) -> str:
    """A signed answer of an identity provider, which signs in whoever posts it."""
    return (
        f'<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" ID="_{uuid(chance)}">'
        f"<ds:SignatureValue>{base64_bytes(256)(chance)}</ds:SignatureValue>"
        f"<saml:NameID>{chance.randint(10, 9999)}</saml:NameID></samlp:Response>"
    )


def escaped_lines(chance: Random) -> str:
    """The lines of a private key as they stand in a JSON text."""
    return "\\n".join(wrap(base64_bytes(1218, b"\x30\x82\x04\xbe")(chance), 64))


KINDS: dict[str, Maker] = {
    **all_standing(
        tame,
        {
            "docker_login": (
                "echo «secret» | docker login --username «user» --password-stdin registry.«domain»"
            ),
            "helm_set": (
                "helm upgrade --install «app» ./chart --set postgresql.auth.password=«secret»"
            ),
            "kubectl_literal": (
                "kubectl create secret generic «app» --from-literal=password=«secret»"
            ),
            "openssl_pass": "openssl rsa -in key.pem -passin pass:«secret» -out plain.pem",
            "sshpass": "sshpass -p «secret» ssh -o StrictHostKeyChecking=no «user»@«host»",
            "ldap": "kinit «user»@«word».IO <<< '«secret»'",
            "windows_shares": "smbclient //«host»/share -U «user»%«secret»",
            "vault_put": "vault kv put secret/«app» db_password=«secret» db_user=«user»",
            "gpg_passphrase": (
                "gpg --pinentry-mode loopback --passphrase='«secret»' --sign «app».deb"
            ),
            "htpasswd": "mosquitto_pub -h «host» -u «user» -P «secret» -t «app»/up -m 1",
            "unix_passwords": "echo «secret» | sudo -S apt-get upgrade",
            "archives": "unzip -P '«secret»' «db».zip",
            "keystores": "jarsigner -keystore r.jks -storepass «secret» app.apk «app»",
            "transfer": "wget --user=«user» --password=«secret» https://«host»/dump.gz",
            "machines": "etcdctl --user root:«secret» endpoint health",
            "history": ": 1767«n»0012:0;mysql -uroot -p«secret»",
            "process_list": (
                "«pid» ?  Ssl  0:02 /usr/bin/«app» --db-password=«secret» --port «port»"
            ),
            "curl_user": "curl -sS --user '«user»:«secret»' -X POST https://«host»:«port»/_bulk",
            "curl_grant": (
                "curl https://auth.«domain»/oauth/token -d client_id=«app» -d "
                "client_secret=«secret»"
            ),
            "psql": "PGPASSWORD=«secret» psql -h «host» -U «user» «db»",
            "mysql": "«user»     «pid»  0.3  1.1 mysqladmin -u «user» -p'«secret»' ping",
            "mongo": 'db.createUser({user: "«user»", pwd: "«secret»", roles: ["readWrite"]})',
            "redis": "redis-cli -h «host» -a «secret» INFO",
            "sqlserver_oracle": "bcp «db».dbo.orders out o.dat -c -S «host» -U «user» -P «secret»",
            "other_databases": "SNOWSQL_PWD=«secret» snowsql -a «company» -u «user»",
            "soap_login": (
                "<wsse:Username>«user»</wsse:Username>\n"
                '<wsse:Password Type="PasswordText">«secret»</wsse:Password>'
            ),
            "secret_managers": (
                "$ aws ssm get-parameter --with-decryption --name /«app»/db/password --query "
                'Parameter.Value\n"«secret»"'
            ),
            "inspect_env": '"environment": [{"name": "DB_PASSWORD", "value": "«secret»"}],',
            "told_login": (
                "you can sign in at https://«app».«domain» as «user» with password «secret»"
            ),
            "told_ssh": "sftp access: host «host», username «user», password «secret», port 2222",
            "told_cjk": "비밀번호: «secret»",
            "wiki_table": (
                'url,username,password,note\nhttps://«host»,«email»,«secret»,"from «word»"'
            ),
            "notes": "* admin panel: https://«host»/admin\n* admin / `«secret»`",
            "wifi_told": "Wi-Fi «word»-guest, key «secret»",
            "debug_password": "Settings{dbUser=«user», dbPassword=«secret», pool=20}",
            "generated_admin": (
                "The generated password for the elastic built-in superuser is:\n«secret»"
            ),
            "trace_with_url": (
                "sqlalchemy.exc.OperationalError: could not connect\n"
                "  dsn: postgresql://«user»:«secret»@«host»:5432/«db»"
            ),
            "shell_trace": "++ docker login -u «user» -p «secret» «host»\nLogin Succeeded",
            "env_dump": 'declare -x ADMIN_PASSWORD="«secret»"\ndeclare -x HOME="/root"',
            "diff_of_secret": (
                "@@ -12,3 +12,3 @@ production:\n   username: «user»\n-  password: «secret»\n"
                '+  password: <%= ENV["DB_PASSWORD"] %>'
            ),
            "search_hits": "src/db.js\n«n»:  password: '«secret»',",
            "wire_dump": "USER «user»\n331 Password required\nPASS «secret»\n230 Logged in",
        },
    ),
    **all_standing(
        password,
        {
            "powershell_secure": '$pw = ConvertTo-SecureString "«secret»" -AsPlainText -Force',
            "login_forms": '{"username":"«user»","pass":"«secret»","remember":true}',
            "graphql": 'mutation { login(email: "«email»", password: "«secret»") { id } }',
            "told_password": "btw the «stage» db password is `«secret»`, user is «user»",
            "told_german": 'Anmelden mit «user» und dem Kennwort "«secret»".',
            "told_french_spanish": "A senha é «secret»",
            "trace_locals": "locals: {'self': <Db>, 'password': '«secret»', 'retries': 3}",
        },
    ),
    **all_standing(
        opaque,
        {
            "login_clis": "twine upload -u __token__ -p «secret» dist/*",
            "curl_bearer": (
                "curl -XGET 'https://«host»/api' -H 'authorization: token «secret»' -H "
                "'accept: */*'"
            ),
            "key_headers": 'Authorization: Token token="«secret»"',
            "oauth_code_exchange": (
                '{"client_id": "«uuid»", "client_secret": "«secret»", "grant_type": '
                '"client_credentials"}'
            ),
            "told_token": "Use this bearer token: `«secret»`. It runs out on Friday.",
            "console_output": "New API key: «secret»",
            "redis_and_memcache": 'HGETALL user:«n» -> {"api_token": "«secret»", "plan": "pro"}',
        },
    ),
    "aws_configure": standing(
        "<base64:40>",
        "AWS Access Key ID [None]: «accesskey»\nAWS Secret Access Key [None]: «secret»",
    ),
    "aws_console": standing("<base64:40>", 'aws_iam_access_key.ci: secret = "«secret»"'),
    "set_cookie": standing(SESSION, "< set-cookie: JSESSIONID=«secret»; Path=/«app»; Secure"),
    "cookie": standing(SESSION, "Cookie: theme=dark; sessionid=«secret»; lang=de"),
    "join_tokens": standing(
        "<lownum:6>.<lownum:16>",
        "TOKEN                     TTL   EXPIRES                USAGES\n"
        "«secret»   23h   «date»T«time»Z   authentication,signing",
    ),
    "basic_header": standing(in_base64(login), "Authorization: Basic «secret»"),
    "bearer_header": standing(
        either(jwt, opaque),
        "GET /v1/«app» HTTP/1.1\nHost: api.«domain»\nAuthorization: Bearer «secret»",
    ),
    "signed_session": standing(flask_session, "Cookie: session=«secret»"),
    "remember_cookie": standing(
        percent_encoded(base64_bytes(96)), "Cookie: _«app»_session=«secret»"
    ),
    "oauth_access": standing(
        either(jwt, "<urlsafe:86>"),
        '{\n  "token_type": "bearer",\n  "scope": "read write",\n  "access_token": "«secret»"\n}',
    ),
    "oauth_refresh": standing(
        either("<urlsafe:64>", jwt, "0.AX<urlsafe:400>"), "refresh_token: «secret»"
    ),
    "form_body": standing(
        percent_encoded(password),
        "POST /login HTTP/1.1\nContent-Type: application/x-www-form-urlencoded\n\n"
        "login=«user»&passwd=«secret»",
    ),
    "saml_response": standing(
        percent_encoded(in_base64(saml)),
        "POST /saml/acs HTTP/1.1\nContent-Type: application/x-www-form-urlencoded\n\n"
        "SAMLResponse=«secret»&RelayState=%2F«app»",
    ),
    "service_account_json": standing(
        escaped_lines,
        'GOOGLE_PRIVATE_KEY="-----BEGIN PRIVATE KEY-----\\n«secret»\\n-----END PRIVATE '
        'KEY-----\\n"',
    ),
    "gcloud_refresh": standing(
        "1//0<lownum:1><urlsafe:98>",
        '{"client_id": "«account».apps.googleusercontent.com", "client_secret": '
        '"d-«word»",\n "refresh_token": "«secret»", "type": "authorized_user"}',
    ),
    "told_passphrase": standing(passphrase, "unlock the laptop with `«secret»` as passphrase"),
    "pins_told": standing("<digits:8>", "Door code «stage»: PIN «secret»"),
    "mail_of_account": standing(
        either("<alnum:12>", "<lownum:10>"),
        "Subject: Your new account\n\nUsername: «email»\nTemporary password: «secret»",
    ),
    "debug_token": standing(
        either(opaque, jwt), "2026-03-02 «time» DEBUG [«app»] obtained access token: «secret»"
    ),
    "hashes_of_login": standing("<hex:32>", "impacket-psexec -hashes :«secret» «user»@«ip»"),
}
