"""Secrets as they pass by: on command lines, in requests, in what people tell, in logs."""

from __future__ import annotations

from random import Random
from textwrap import wrap

from tests.kit.secrets.planted import Maker
from tests.kit.secrets.second.draws import (
    ALNUM,
    BASE64,
    DIGITS,
    HEX,
    LOWNUM,
    URLSAFE,
    Value,
    base64_bytes,
    either,
    in_base64,
    jwt,
    login,
    of,
    opaque,
    passphrase,
    password,
    percent_encoded,
    tame,
    unpadded,
    uuid,
)
from tests.kit.secrets.second.shapes import standing

SESSION = either(of((HEX, 32)), of((ALNUM, 26)), of((URLSAFE, 43)), uuid)


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


STANDING: dict[str, tuple[Value, str]] = {
    # commands
    "docker_login": (
        tame,
        "echo «secret» | docker login --username «user» --password-stdin registry.«domain»",
    ),
    "helm_set": (
        tame,
        "helm upgrade --install «app» ./chart --set postgresql.auth.password=«secret»",
    ),
    "kubectl_literal": (
        tame,
        "kubectl create secret generic «app» --from-literal=password=«secret»",
    ),
    "openssl_pass": (tame, "openssl rsa -in key.pem -passin pass:«secret» -out plain.pem"),
    "sshpass": (tame, "sshpass -p «secret» ssh -o StrictHostKeyChecking=no «user»@«host»"),
    "ldap": (tame, "kinit «user»@«word».IO <<< '«secret»'"),
    "windows_shares": (tame, "smbclient //«host»/share -U «user»%«secret»"),
    "powershell_secure": (password, '$pw = ConvertTo-SecureString "«secret»" -AsPlainText -Force'),
    "vault_put": (tame, "vault kv put secret/«app» db_password=«secret» db_user=«user»"),
    "gpg_passphrase": (
        tame,
        "gpg --pinentry-mode loopback --passphrase='«secret»' --sign «app».deb",
    ),
    "htpasswd": (tame, "mosquitto_pub -h «host» -u «user» -P «secret» -t «app»/up -m 1"),
    "unix_passwords": (tame, "echo «secret» | sudo -S apt-get upgrade"),
    "archives": (tame, "unzip -P '«secret»' «db».zip"),
    "keystores": (tame, "jarsigner -keystore r.jks -storepass «secret» app.apk «app»"),
    "transfer": (tame, "wget --user=«user» --password=«secret» https://«host»/dump.gz"),
    "machines": (tame, "etcdctl --user root:«secret» endpoint health"),
    "join_tokens": (
        of((LOWNUM, 6), ".", (LOWNUM, 16)),
        "TOKEN                     TTL   EXPIRES                USAGES\n"
        "«secret»   23h   «date»T«time»Z   authentication,signing",
    ),
    "login_clis": (opaque, "twine upload -u __token__ -p «secret» dist/*"),
    "history": (tame, ": 1767«n»0012:0;mysql -uroot -p«secret»"),
    "process_list": (
        tame,
        "«pid» ?  Ssl  0:02 /usr/bin/«app» --db-password=«secret» --port «port»",
    ),
    # clients
    "curl_user": (tame, "curl -sS --user '«user»:«secret»' -X POST https://«host»:«port»/_bulk"),
    "curl_bearer": (
        opaque,
        "curl -XGET 'https://«host»/api' -H 'authorization: token «secret»' -H 'accept: */*'",
    ),
    "curl_grant": (
        tame,
        "curl https://auth.«domain»/oauth/token -d client_id=«app» -d client_secret=«secret»",
    ),
    "psql": (tame, "PGPASSWORD=«secret» psql -h «host» -U «user» «db»"),
    "mysql": (tame, "«user»     «pid»  0.3  1.1 mysqladmin -u «user» -p'«secret»' ping"),
    "mongo": (tame, 'db.createUser({user: "«user»", pwd: "«secret»", roles: ["readWrite"]})'),
    "redis": (tame, "redis-cli -h «host» -a «secret» INFO"),
    "sqlserver_oracle": (tame, "bcp «db».dbo.orders out o.dat -c -S «host» -U «user» -P «secret»"),
    "other_databases": (tame, "SNOWSQL_PWD=«secret» snowsql -a «company» -u «user»"),
    "aws_configure": (
        of((BASE64, 40)),
        "AWS Access Key ID [None]: «accesskey»\nAWS Secret Access Key [None]: «secret»",
    ),
    # web
    "basic_header": (in_base64(login), "Authorization: Basic «secret»"),
    "bearer_header": (
        either(jwt, opaque),
        "GET /v1/«app» HTTP/1.1\nHost: api.«domain»\nAuthorization: Bearer «secret»",
    ),
    "key_headers": (opaque, 'Authorization: Token token="«secret»"'),
    "set_cookie": (SESSION, "< set-cookie: JSESSIONID=«secret»; Path=/«app»; Secure"),
    "cookie": (SESSION, "Cookie: theme=dark; sessionid=«secret»; lang=de"),
    "signed_session": (flask_session, "Cookie: session=«secret»"),
    "remember_cookie": (percent_encoded(base64_bytes(96)), "Cookie: _«app»_session=«secret»"),
    "oauth_access": (
        either(jwt, of((URLSAFE, 86))),
        '{\n  "token_type": "bearer",\n  "scope": "read write",\n  "access_token": "«secret»"\n}',
    ),
    "oauth_refresh": (
        either(of((URLSAFE, 64)), jwt, of("0.AX", (URLSAFE, 400))),
        "refresh_token: «secret»",
    ),
    "oauth_code_exchange": (
        opaque,
        '{"client_id": "«uuid»", "client_secret": "«secret»", "grant_type": "client_credentials"}',
    ),
    "login_forms": (password, '{"username":"«user»","pass":"«secret»","remember":true}'),
    "form_body": (
        percent_encoded(password),
        "POST /login HTTP/1.1\nContent-Type: application/x-www-form-urlencoded\n\n"
        "login=«user»&passwd=«secret»",
    ),
    "saml_response": (
        percent_encoded(in_base64(saml)),
        "POST /saml/acs HTTP/1.1\nContent-Type: application/x-www-form-urlencoded\n\n"
        "SAMLResponse=«secret»&RelayState=%2F«app»",
    ),
    "soap_login": (
        tame,
        "<wsse:Username>«user»</wsse:Username>\n"
        '<wsse:Password Type="PasswordText">«secret»</wsse:Password>',
    ),
    "secret_managers": (
        tame,
        "$ aws ssm get-parameter --with-decryption --name /«app»/db/password --query "
        'Parameter.Value\n"«secret»"',
    ),
    "inspect_env": (tame, '"environment": [{"name": "DB_PASSWORD", "value": "«secret»"}],'),
    "graphql": (password, 'mutation { login(email: "«email»", password: "«secret»") { id } }'),
    "service_account_json": (
        escaped_lines,
        'GOOGLE_PRIVATE_KEY="-----BEGIN PRIVATE KEY-----\\n«secret»\\n-----END PRIVATE '
        'KEY-----\\n"',
    ),
    "gcloud_refresh": (
        of("1//0", (LOWNUM, 1), (URLSAFE, 98)),
        '{"client_id": "«account».apps.googleusercontent.com", "client_secret": '
        '"d-«word»",\n "refresh_token": "«secret»", "type": "authorized_user"}',
    ),
    # prose
    "told_password": (password, "btw the «stage» db password is `«secret»`, user is «user»"),
    "told_login": (
        tame,
        "you can sign in at https://«app».«domain» as «user» with password «secret»",
    ),
    "told_ssh": (tame, "sftp access: host «host», username «user», password «secret», port 2222"),
    "told_token": (opaque, "Use this bearer token: `«secret»`. It runs out on Friday."),
    "told_passphrase": (passphrase, "unlock the laptop with `«secret»` as passphrase"),
    "told_german": (password, 'Anmelden mit «user» und dem Kennwort "«secret»".'),
    "told_french_spanish": (password, "A senha é «secret»"),
    "told_cjk": (tame, "비밀번호: «secret»"),
    "wiki_table": (
        tame,
        'url,username,password,note\nhttps://«host»,«email»,«secret»,"from «word»"',
    ),
    "notes": (tame, "* admin panel: https://«host»/admin\n* admin / `«secret»`"),
    "wifi_told": (tame, "Wi-Fi «word»-guest, key «secret»"),
    "pins_told": (of((DIGITS, 8)), "Door code «stage»: PIN «secret»"),
    "mail_of_account": (
        either(of((ALNUM, 12)), of((LOWNUM, 10))),
        "Subject: Your new account\n\nUsername: «email»\nTemporary password: «secret»",
    ),
    # logs
    "debug_token": (
        either(opaque, jwt),
        "2026-03-02 «time» DEBUG [«app»] obtained access token: «secret»",
    ),
    "debug_password": (tame, "Settings{dbUser=«user», dbPassword=«secret», pool=20}"),
    "generated_admin": (
        tame,
        "The generated password for the elastic built-in superuser is:\n«secret»",
    ),
    "trace_with_url": (
        tame,
        "sqlalchemy.exc.OperationalError: could not connect\n"
        "  dsn: postgresql://«user»:«secret»@«host»:5432/«db»",
    ),
    "trace_locals": (password, "locals: {'self': <Db>, 'password': '«secret»', 'retries': 3}"),
    "shell_trace": (tame, "++ docker login -u «user» -p «secret» «host»\nLogin Succeeded"),
    "env_dump": (tame, 'declare -x ADMIN_PASSWORD="«secret»"\ndeclare -x HOME="/root"'),
    "console_output": (opaque, "New API key: «secret»"),
    "aws_console": (of((BASE64, 40)), 'aws_iam_access_key.ci: secret = "«secret»"'),
    "diff_of_secret": (
        tame,
        "@@ -12,3 +12,3 @@ production:\n   username: «user»\n-  password: «secret»\n"
        '+  password: <%= ENV["DB_PASSWORD"] %>',
    ),
    "search_hits": (tame, "src/db.js\n«n»:  password: '«secret»',"),
    "wire_dump": (tame, "USER «user»\n331 Password required\nPASS «secret»\n230 Logged in"),
    "hashes_of_login": (of((HEX, 32)), "impacket-psexec -hashes :«secret» «user»@«ip»"),
    "redis_and_memcache": (opaque, 'HGETALL user:«n» -> {"api_token": "«secret»", "plan": "pro"}'),
}

KINDS: dict[str, Maker] = standing(STANDING)
