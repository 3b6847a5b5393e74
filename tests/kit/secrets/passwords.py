"""Passwords and keys without a form of their own, told by where they stand."""

from __future__ import annotations

# Kind → the line around it, `@@` where the secret stands, and the form of the secret.
PASSWORDS: dict[str, tuple[str, str]] = {
    # Headers
    "bearer-header": ("Authorization: Bearer @@", "<url64:48>"),
    "api-key-header": ("curl -H 'X-API-Key: @@' https://api.acme.dev/v2/jobs", "<alnum:40>"),
    "session-cookie": ("Cookie: theme=dark; sessionid=@@; lang=en", "<lower:32>"),
    "set-cookie": ("Set-Cookie: auth_token=@@; HttpOnly; Secure; Path=/", "<url64:64>"),
    "jwt": (
        "id_token=@@",
        "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI<url64:96>.<url64:43>",
    ),
    "oauth-access-token": ('{"access_token": "@@", "expires_in": 3600}', "<url64:43>"),
    "oauth-refresh-token": ('{"token_type": "bearer", "refresh_token": "@@"}', "<url64:64>"),
    # Connections
    "postgres-url": ("DATABASE_URL=postgres://<user>:@@@<host>:5432/orders", "<simple>"),
    "mysql-url": ("mysql+pymysql://<user>:@@@<host>/shop?charset=utf8mb4", "<simple>"),
    "mongodb-url": ("MONGO=mongodb+srv://<user>:@@@<word>.k2x9q.mongodb.net/app", "<simple>"),
    "redis-url": ("REDIS_URL=redis://:@@@<host>:6379/0", "<simple>"),
    "amqp-url": ("amqp://<user>:@@@<host>:5672/%2F", "<simple>"),
    "http-url": ("git clone https://<user>:@@@git.<word>.internal/core.git", "<simple>"),
    "ftp-url": ("ftp://<user>:@@@<host>/incoming/", "<simple>"),
    "mssql-connection": (
        "Server=tcp:<host>,1433;Database=crm;User Id=<user>;Password=@@;Encrypt=true;",
        "<simple>",
    ),
    "odbc-connection": ("Driver={ODBC Driver 18};Server=<host>;UID=<user>;PWD=@@", "<simple>"),
    "jdbc-url": ("jdbc:postgresql://<host>/app?user=<user>&password=@@&ssl=true", "<simple>"),
    "jdbc-oracle": ("jdbc:oracle:thin:<user>/@@@//<host>:1521/ORCL", "<simple>"),
    "snowflake-url": ("snowflake://<user>:@@@ab12345.eu-west-1/DB/PUBLIC?warehouse=WH", "<simple>"),
    "libpq-keywords": ("host=<host> port=5432 user=<user> password=@@ dbname=app", "<simple>"),
    # Files of settings
    "env-password": ("DB_PASSWORD=@@", "<strong>"),
    "env-quoted": ('ADMIN_PASSWORD="@@"', "<strong>"),
    "env-secret-key": ("SECRET_KEY='@@'", "<alnum:50>"),
    "env-exported": ("export SMTP_PASS='@@'", "<strong>"),
    "env-encryption-key": ("ENCRYPTION_KEY=@@", "<hex:64>"),
    "yaml-password": ("  username: <user>\n  password: @@\n  port: 5432", "<simple>"),
    "yaml-quoted": ('redis:\n  auth:\n    password: "@@"', "<strong>"),
    "yaml-api-key": ("api_key: @@", "<alnum:32>"),
    "json-client-secret": ('{"client_id": "<uuid>", "client_secret": "@@"}', "<alnum:40>"),
    "json-password": ('{\n  "user": "<user>",\n  "password": "@@"\n}', "<strong>"),
    "toml-password": ('[database]\npassword = "@@"', "<strong>"),
    "ini-password": ("[smtp]\nuser = <user>\npasswd = @@", "<simple>"),
    "properties-password": ("spring.datasource.password=@@", "<simple>"),
    "xml-password": ("<server><id>nexus</id><password>@@</password></server>", "<simple>"),
    "terraform-variable": ('db_password = "@@"', "<strong>"),
    "terraform-default": ('variable "admin_password" {\n  default = "@@"\n}', "<strong>"),
    "netrc": ("machine api.<word>.internal\n  login <user>\n  password @@", "<simple>"),
    "pgpass": ("<host>:5432:orders:<user>:@@", "<simple>"),
    "kubeconfig-token": ("users:\n- name: admin\n  user:\n    token: @@", "<url64:120>"),
    "rails-master-key": ("RAILS_MASTER_KEY=@@", "<hex:32>"),
    # Code
    "python-password": ('password = "@@"', "<strong>"),
    "python-keyword": ('connect(host="<host>", user="<user>", password="@@")', "<strong>"),
    "javascript-secret": ("const clientSecret = '@@';", "<alnum:36>"),
    "java-constant": ('private static final String API_SECRET = "@@";', "<alnum:40>"),
    "php-define": ("define('DB_PASSWORD', '@@');", "<strong>"),
    "sql-identified": ("CREATE USER app IDENTIFIED BY '@@';", "<strong>"),
    "sql-role": ("ALTER ROLE reporter WITH LOGIN PASSWORD '@@';", "<strong>"),
    # Shells
    "mysql-p": ("mysql -h <host> -u root -p@@ shop < dump.sql", "<simple>"),
    "curl-user": ("curl -u <user>:@@ https://<host>/api/health", "<simple>"),
    "option-password": ("backup --user <user> --password @@ --all", "<simple>"),
    "option-token": ("deploy --env prod --token=@@", "<alnum:40>"),
    "sshpass": ("sshpass -p '@@' ssh deploy@<host> uptime", "<strong>"),
    "pgpassword": ("PGPASSWORD=@@ psql -h <host> -U <user> -c 'select 1'", "<simple>"),
    "docker-login": ("docker login registry.<word>.dev -u <user> -p @@", "<simple>"),
    "ssh-passphrase": ("ssh-keygen -t ed25519 -N '@@' -f deploy_key", "<strong>"),
    "openssl-pass": ("openssl enc -aes-256-cbc -pass pass:@@ -in a.sql", "<simple>"),
    "mongo-shell": ("mongosh --host <host> -u <user> -p @@", "<simple>"),
    "redis-auth": ("redis-cli -h <host> -a @@ ping", "<simple>"),
    # URLs
    "url-access-token": ("GET https://api.<word>.dev/v1/me?access_token=@@&page=2", "<url64:40>"),
    "url-api-key": ("https://maps.<word>.dev/geo?q=a&api_key=@@", "<alnum:32>"),
    "url-signature": ("https://cdn.<word>.dev/a.zip?expires=1893456000&sig=@@", "<url64:43>"),
    "url-aws-signature": (
        "https://acme.s3.amazonaws.com/a.zip?X-Amz-Expires=3600&X-Amz-Signature=@@",
        "<hex:64>",
    ),
    # Said
    "said-password": ("The password is @@ and it works for staging too.", "<strong>"),
}
