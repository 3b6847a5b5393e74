"""Passwords as people tell them: in chats, mails, tickets, notes and wikis."""

from __future__ import annotations

from tests.kit.secrets.planted import Maker
from tests.kit.secrets.second.draws import (
    ALNUM,
    DIGITS,
    LOWNUM,
    either,
    of,
    opaque,
    passphrase,
    password,
    tame,
)
from tests.kit.secrets.second.shapes import planted

KINDS: dict[str, Maker] = {
    "told_password": planted(password)("""
        The password is «secret»
        ~~~
        btw the «stage» db password is `«secret»`, user is «user»
        ~~~
        Password for «user»@«host»: «secret»
        ~~~
        I changed the admin password to "«secret»" this morning.
        ~~~
        pw = «secret» (works for «app» too)
        ~~~
        use «secret» as the password when it asks you
        ~~~
        The root password was reset, it's now «secret» on all nodes
    """),
    "told_login": planted(tame)("""
        Log in with «user» / «secret»
        ~~~
        login: «user»
        pass: «secret»
        ~~~
        User «email», pw «secret», then click "Reports".
        ~~~
        creds for staging - «user»:«secret»
        ~~~
        you can sign in at https://«app».«domain» as «user» with password «secret»
        ~~~
        Credentials: «email» | «secret»
    """),
    "told_ssh": planted(tame)("""
        ssh «user»@«host» (password «secret»)
        ~~~
        Jump host: «ip», user «user», passwd: «secret»
        ~~~
        sftp access: host «host», username «user», password «secret», port 2222
    """),
    "told_token": planted(opaque)("""
        Here is the API key you asked for: «secret»
        ~~~
        my token is «secret», please use it for the import
        ~~~
        the api token for «app» («stage») → «secret»
        ~~~
        Use this bearer token: `«secret»`. It runs out on Friday.
        ~~~
        Client ID: «uuid»
        Client secret: «secret»
    """),
    "told_passphrase": planted(passphrase)("""
        The passphrase for the backup key is "«secret»"
        ~~~
        passphrase: «secret»
        ~~~
        unlock the laptop with `«secret»` as passphrase
    """),
    "told_german": planted(password)("""
        Das Passwort lautet «secret»
        ~~~
        Zugangsdaten: Benutzer «user», Passwort: «secret»
        ~~~
        Kennwort für «host»: «secret»
        ~~~
        Anmelden mit «user» und dem Kennwort "«secret»".
    """),
    "told_french_spanish": planted(password)("""
        Le mot de passe est «secret»
        ~~~
        mot de passe : «secret»
        ~~~
        La contraseña es «secret»
        ~~~
        Usuario: «user», contraseña: «secret»
        ~~~
        A senha é «secret»
        ~~~
        hasło: «secret»
    """),
    "told_cjk": planted(tame)("""
        密码：«secret»
        ~~~
        数据库密码是 «secret»
        ~~~
        パスワードは「«secret»」です
        ~~~
        비밀번호: «secret»
    """),
    "wiki_table": planted(tame)("""
        | Host | User | Password |
        |------|------|----------|
        | «host» | «user» | «secret» |
        ~~~
        name,username,password
        «app»,«user»,«secret»
        ~~~
        url,username,password,note
        https://«host»,«email»,«secret»,"from «word»"
        ~~~
        Environment	Login	Password
        «stage»	«user»	«secret»
    """),
    "notes": planted(tame)("""
        # Access
        - [ ] rotate «user» («secret»)
        - password: **«secret»**
        ~~~
        * admin panel: https://«host»/admin
        * admin / `«secret»`
        ~~~
        TODO: remove before release, test account pw: «secret»
        ~~~
        // default admin password is «secret», change it on first login
    """),
    "wifi_told": planted(tame)("""
        Wi-Fi «word»-guest, key «secret»
        ~~~
        WiFi password: «secret»
        ~~~
        WIFI:T:WPA;S:«word»;P:«secret»;;
    """),
    "pins_told": planted(of((DIGITS, 8)))("""
        PIN: «secret»
        ~~~
        the pin of the HSM is «secret»
        ~~~
        Door code «stage»: PIN «secret»
    """),
    "mail_of_account": planted(either(of((ALNUM, 12)), of((LOWNUM, 10))))("""
        Subject: Your new account

        Username: «email»
        Temporary password: «secret»
        ~~~
        Initial Password: «secret»
        Please change it at your first login.
        ~~~
        Your one-time password is: «secret»
    """),
}
