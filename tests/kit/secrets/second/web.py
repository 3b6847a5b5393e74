"""Secrets in headers, cookies, answers of token endpoints and forms."""

from __future__ import annotations

from random import Random
from textwrap import wrap

from tests.kit.secrets.planted import Maker
from tests.kit.secrets.second.draws import (
    ALNUM,
    HEX,
    LOWNUM,
    URLSAFE,
    base64_bytes,
    either,
    in_base64,
    jwt,
    login,
    of,
    opaque,
    password,
    percent_encoded,
    tame,
    unpadded,
    uuid,
)
from tests.kit.secrets.second.shapes import planted

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


KINDS: dict[str, Maker] = {
    "basic_header": planted(in_base64(login))("""
        Authorization: Basic «secret»
        ~~~
        proxy_set_header Authorization "Basic «secret»";
        ~~~
        headers: { authorization: 'Basic «secret»', accept: 'application/json' }
        ~~~
        < proxy-authorization: basic «secret»
    """),
    "bearer_header": planted(either(jwt, opaque))("""
        GET /v1/«app» HTTP/1.1
        Host: api.«domain»
        Authorization: Bearer «secret»
        ~~~
        {"Authorization": "Bearer «secret»", "Content-Type": "application/json"}
        ~~~
        req.Header.Set("Authorization", "Bearer «secret»")
        ~~~
        authorization: bearer «secret»
        ~~~
        metadata = [("authorization", "Bearer «secret»")]
    """),
    "key_headers": planted(opaque)("""
        X-API-Key: «secret»
        ~~~
        x-auth-token: «secret»
        ~~~
        "Api-Key": "«secret»",
        ~~~
        -H 'X-Vault-Token: «secret»'
        ~~~
        Authorization: ApiKey «secret»
        ~~~
        headers = {"X-Shopify-Access-Token": "«secret»"}
        ~~~
        Authorization: Token token="«secret»"
        ~~~
        DD-API-KEY: «secret»
    """),
    "set_cookie": planted(SESSION)("""
        Set-Cookie: sessionid=«secret»; HttpOnly; Path=/; SameSite=Lax
        ~~~
        < set-cookie: JSESSIONID=«secret»; Path=/«app»; Secure
        ~~~
        set-cookie: PHPSESSID=«secret»; path=/
        ~~~
        Set-Cookie: __Host-session=«secret»; Max-Age=86400; Secure
    """),
    "cookie": planted(SESSION)("""
        Cookie: theme=dark; sessionid=«secret»; lang=de
        ~~~
        curl -b 'session_id=«secret»' https://«host»/admin
        ~~~
        document.cookie = "sid=«secret»; path=/";
        ~~~
        .«domain»	TRUE	/	TRUE	1790000000	session_token	«secret»
        ~~~
        cookies = {"connect.sid": "s%3A«secret»", "theme": "dark"}
    """),
    "signed_session": planted(flask_session)("""
        Set-Cookie: session=«secret»; HttpOnly; Path=/
        ~~~
        Cookie: session=«secret»
        ~~~
        requests.get(url, cookies={'session': '«secret»'})
    """),
    "remember_cookie": planted(percent_encoded(base64_bytes(96)))("""
        Set-Cookie: remember_web=«secret»; expires=Mon, 02-Mar-2027 10:15:00 GMT
        ~~~
        Cookie: _«app»_session=«secret»
        ~~~
        cookie: .AspNetCore.Identity.Application=«secret»
    """),
    "oauth_access": planted(either(jwt, of((URLSAFE, 86))))("""
        {"access_token":"«secret»","token_type":"Bearer","expires_in":3600}
        ~~~
        {
          "token_type": "bearer",
          "scope": "read write",
          "access_token": "«secret»"
        }
        ~~~
        access_token=«secret»&scope=repo&token_type=bearer
        ~~~
        <- 200 {'accessToken': '«secret»', 'expiresIn': 900}
    """),
    "oauth_refresh": planted(either(of((URLSAFE, 64)), jwt, of("0.AX", (URLSAFE, 400))))("""
        {"expires_in": 3600, "refresh_token": "«secret»"}
        ~~~
        grant_type=refresh_token&client_id=«app»&refresh_token=«secret»
        ~~~
        localStorage.setItem('refreshToken', '«secret»')
        ~~~
        refresh_token: «secret»
    """),
    "oauth_code_exchange": planted(opaque)("""
        grant_type=authorization_code&client_id=«uuid»&client_secret=«secret»&redirect_uri=x
        ~~~
        {"client_id": "«uuid»", "client_secret": "«secret»", "grant_type": "client_credentials"}
        ~~~
        client_id: «app»-web
        client_secret: «secret»
        ~~~
        clientSecret: "«secret»", issuer: "https://auth.«domain»"
    """),
    "login_forms": planted(password)("""
        {"email": "«email»", "password": "«secret»"}
        ~~~
        {"username":"«user»","pass":"«secret»","remember":true}
        ~~~
        await page.fill('#password', '«secret»');
        ~~~
        cy.get('input[name=password]').type('«secret»')
        ~~~
        driver.find_element(By.ID, "password").send_keys("«secret»")
    """),
    "form_body": planted(percent_encoded(password))("""
        username=«user»&password=«secret»&csrf=«hex16»
        ~~~
        POST /login HTTP/1.1
        Content-Type: application/x-www-form-urlencoded

        login=«user»&passwd=«secret»
    """),
    "saml_response": planted(percent_encoded(in_base64(saml)))("""
        POST /saml/acs HTTP/1.1
        Content-Type: application/x-www-form-urlencoded

        SAMLResponse=«secret»&RelayState=%2F«app»
        ~~~
        curl https://«host»/saml/acs -d 'SAMLResponse=«secret»'
    """),
    "soap_login": planted(tame)("""
        <wsse:Username>«user»</wsse:Username>
        <wsse:Password Type="PasswordText">«secret»</wsse:Password>
        ~~~
        <soap:Body><login><username>«user»</username><password>«secret»</password></login>
        ~~~
        <Credential domain="«word»"><SharedSecret>«secret»</SharedSecret></Credential>
    """),
    "secret_managers": planted(tame)("""
        {"ARN": "arn:aws:secretsmanager:«region»:«account»:secret:«app»-Ab12Cd",
         "SecretString": "{\\"username\\":\\"«user»\\",\\"password\\":\\"«secret»\\"}"}
        ~~~
        {"Parameter": {"Name": "/«app»/db/password", "Type": "SecureString", "Value": "«secret»"}}
        ~~~
        {"data": {"data": {"password": "«secret»"}, "metadata": {"version": 3}}}
        ~~~
        {"contentType": null, "name": "db-password", "value": "«secret»"}
        ~~~
        $ aws ssm get-parameter --with-decryption --name /«app»/db/password --query Parameter.Value
        "«secret»"
    """),
    "inspect_env": planted(tame)("""
        "Env": ["PATH=/usr/bin", "POSTGRES_PASSWORD=«secret»", "PGDATA=/data"],
        ~~~
        "environment": [{"name": "DB_PASSWORD", "value": "«secret»"}],
        ~~~
        DB_PASSWORD:   «secret»
        DB_USER:       «user»
        ~~~
          Environment:
              DB_HOST:      «host»
              DB_PASSWORD:  «secret»
    """),
    "graphql": planted(password)("""
        mutation { login(email: "«email»", password: "«secret»") { id } }
        ~~~
        {"operationName": "Login", "variables": {"email": "«email»", "password": "«secret»"}}
    """),
    "service_account_json": planted(escaped_lines)("""
        {"type": "service_account", "private_key_id": "«hex40»", "private_key":
         "-----BEGIN PRIVATE KEY-----\\n«secret»\\n-----END PRIVATE KEY-----\\n"}
        ~~~
        GOOGLE_PRIVATE_KEY="-----BEGIN PRIVATE KEY-----\\n«secret»\\n-----END PRIVATE KEY-----\\n"
        ~~~
        privateKey: '-----BEGIN RSA PRIVATE KEY-----\\n«secret»\\n-----END RSA PRIVATE KEY-----',
    """),
    "gcloud_refresh": planted(of("1//0", (LOWNUM, 1), (URLSAFE, 98)))("""
        {"client_id": "«account».apps.googleusercontent.com", "client_secret": "d-«word»",
         "refresh_token": "«secret»", "type": "authorized_user"}
        ~~~
          "refresh_token": "«secret»",
          "type": "authorized_user"
    """),
}
