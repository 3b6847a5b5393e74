"""Passwords and keys in the settings of applications and frameworks."""

from __future__ import annotations

from tests.kit.secrets.planted import Maker
from tests.kit.secrets.second.draws import (
    ALNUM,
    HEX,
    base64_bytes,
    either,
    in_xml,
    of,
    password,
    tame,
)
from tests.kit.secrets.second.shapes import planted

KINDS: dict[str, Maker] = {
    "dotenv": planted(tame)("""
        APP_ENV=«stage»
        DB_HOST=«host»
        DB_USERNAME=«user»
        DB_PASSWORD=«secret»
        ~~~
        SMTP_USER="«email»"
        SMTP_PASS="«secret»"
        ~~~
        export PGUSER='«user»'
        export PGPASSWORD='«secret»'
        ~~~
        REDIS_PASSWORD = «secret» # «stage»
    """),
    "spring_yaml": planted(tame)("""
        spring:
          datasource:
            url: jdbc:postgresql://«host»:5432/«db»
            username: «user»
            password: «secret»
        ~~~
        spring:
          rabbitmq: {host: «host», username: «user», password: '«secret»'}
    """),
    "spring_properties": planted(password)("""
        spring.datasource.username=«user»
        spring.datasource.password=«secret»
        ~~~
        spring.mail.password = «secret»
        ~~~
        server.ssl.key-store-password: «secret»
    """),
    "rails_database": planted(tame)("""
        production:
          <<: *default
          database: «db»
          username: «user»
          password: «secret»
        ~~~
        «stage»: {adapter: mysql2, host: «host», username: «user», password: "«secret»"}
    """),
    "rails_keys": planted(either(of((HEX, 128)), of((HEX, 32))))("""
        $ cat config/master.key
        «secret»
        ~~~
        production:
          secret_key_base: «secret»
        ~~~
        RAILS_MASTER_KEY=«secret» bin/rails assets:precompile
    """),
    "django_databases": planted(password)("""
        DATABASES = {
            "default": {
                "ENGINE": "django.db.backends.postgresql",
                "USER": "«user»",
                "PASSWORD": "«secret»",
                "HOST": "«host»",
            }
        }
        ~~~
        'default': {'NAME': '«db»', 'USER': '«user»', 'PASSWORD': '«secret»'},
        ~~~
        EMAIL_HOST_USER = "«email»"
        EMAIL_HOST_PASSWORD = "«secret»"
    """),
    "django_secret_key": planted(of((ALNUM + "!@#%^&*(-_=+)", 50)))("""
        SECRET_KEY = '«secret»'
        ~~~
        SECRET_KEY = env.str("SECRET_KEY", "«secret»")
        ~~~
        DJANGO_SECRET_KEY="«secret»"
    """),
    "flask_secret_key": planted(either(of((HEX, 64)), of((HEX, 48))))("""
        app.secret_key = "«secret»"
        ~~~
        app.config["SECRET_KEY"] = '«secret»'
        ~~~
        app.config.update(SECRET_KEY="«secret»", DEBUG=False)
    """),
    "laravel": planted(base64_bytes(32))("""
        APP_NAME=«app»
        APP_KEY=base64:«secret»
        ~~~
        'key' => env('APP_KEY', 'base64:«secret»'),
    """),
    "phoenix": planted(base64_bytes(48))("""
        config :«app», «word»Web.Endpoint,
          secret_key_base: "«secret»"
        ~~~
        SECRET_KEY_BASE=«secret» mix phx.server
    """),
    "express_session": planted(either(of((ALNUM, 32)), password))("""
        app.use(session({ secret: '«secret»', resave: false }));
        ~~~
        cookieSession({ name: 'sid', keys: ["«secret»"], maxAge: 86400 })
        ~~~
        NEXTAUTH_SECRET=«secret»
    """),
    "appsettings": planted(password)("""
        {"ConnectionStrings": {
          "Default": "Server=«host»;Database=«db»;User Id=«user»;Password=«secret»;Encrypt=True"
        }}
        ~~~
        "Smtp": { "Host": "«host»", "UserName": "«email»", "Password": "«secret»" }
    """),
    "web_config": planted(in_xml(password))("""
        <add name="Main" connectionString="Data Source=«host»;uid=«user»;pwd=«secret»" />
        ~~~
        <network host="«host»" userName="«user»" password="«secret»" port="587" />
    """),
    "machine_key": planted(of((HEX.upper(), 128)))("""
        <machineKey validationKey="«secret»" validation="HMACSHA256" />
        ~~~
        <machineKey decryption="AES" validation="SHA1"
            validationKey="«secret»"/>
    """),
    "wordpress": planted(password)("""
        define( 'DB_USER', '«user»' );
        define( 'DB_PASSWORD', '«secret»' );
        ~~~
        define("DB_PASSWORD", "«secret»");
        ~~~
        define('AUTH_KEY',         '«secret»');
    """),
    "php_arrays": planted(password)("""
        $databases['default']['default'] = [
          'username' => '«user»',
          'password' => '«secret»',
        ];
        ~~~
        $CFG->dbuser = '«user»'; $CFG->dbpass = '«secret»';
        ~~~
        public $password = '«secret»'; public $db = '«db»';
        ~~~
        $conn = mysqli_connect("«host»", "«user»", "«secret»", "«db»");
    """),
    "grafana_ini": planted(tame)("""
        [security]
        admin_user = admin
        admin_password = «secret»
        ~~~
        [smtp]
        password = \"\"\"«secret»\"\"\"
        ~~~
        admin_passwd = «secret»
        db_user = odoo
    """),
    "mcp_servers": planted(either(of((ALNUM, 40)), of((HEX, 40))))("""
        {"mcpServers": {"«app»": {"command": "npx", "env": {"«app»_TOKEN": "«secret»"}}}}
        ~~~
        [mcp_servers.«app»]
        command = "uvx"
        env = { API_TOKEN = "«secret»" }
        ~~~
        "headers": { "X-API-Key": "«secret»" }, "url": "https://mcp.«domain»/sse"
    """),
}
