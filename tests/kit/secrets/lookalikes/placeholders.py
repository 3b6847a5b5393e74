"""Where a secret would stand, and a placeholder, a reference or a documented example stands."""

from __future__ import annotations

KINDS: dict[str, str] = {
    "angle_brackets": """
        API_KEY=<your-api-key>
        ~~~
        curl -H "Authorization: Bearer <token>" https://api.«domain»/v1/me
        ~~~
        password: <PASSWORD>
    """,
    "shell_variables": """
        DB_PASSWORD=${DB_PASSWORD}
        ~~~
        mysql -u "$DB_USER" -p"$DB_PASSWORD" «db» < dump.sql
        ~~~
        curl -H "Authorization: Bearer $TOKEN" -u "$USER:$PASS" https://«host»
        ~~~
        PGPASSWORD="${PGPASSWORD:?not set}" psql -h «host»
        ~~~
        echo "$REGISTRY_PASSWORD" | docker login -u ci --password-stdin
        ~~~
        export GITHUB_TOKEN=$(gh auth token)
    """,
    "windows_variables": """
        set DB_PASSWORD=%DB_PASSWORD%
        ~~~
        $password = $env:DB_PASSWORD
    """,
    "python_environment": """
        api_key = os.environ["API_KEY"]
        ~~~
        password = os.getenv("DB_PASSWORD")
        ~~~
        SECRET_KEY = config("SECRET_KEY")
        ~~~
        client = OpenAI(api_key=os.environ.get("OPENAI_API_KEY"))
    """,
    "node_environment": """
        const token = process.env.TOKEN;
        ~~~
        password: process.env.DB_PASSWORD ?? '',
        ~~~
        apiKey: import.meta.env.VITE_API_KEY,
    """,
    "other_environment": """
        password := os.Getenv("DB_PASSWORD")
        ~~~
        password: <%= ENV["DB_PASSWORD"] %>
        ~~~
        'password' => env('DB_PASSWORD', ''),
        ~~~
        let token = std::env::var("API_TOKEN")?;
        ~~~
        String password = System.getenv("DB_PASSWORD");
    """,
    "actions_secrets": """
        token: ${{ secrets.GITHUB_TOKEN }}
        ~~~
        NPM_TOKEN: {{ secrets.NPM_TOKEN }}
        ~~~
        password: $(RegistryPassword)
    """,
    "template_values": """
        password: {{ .Values.auth.password | quote }}
        ~~~
        db_password: "{{ vault_db_password }}"
        ~~~
        spring.datasource.password=@db.password@
        ~~~
        password = var.db_password
        ~~~
        password: !vault_ref «app»/db
    """,
    "stars": """
        password: ********
        ~~~
        DB_PASSWORD=****
        ~~~
        Authorization: Bearer ***
        ~~~
        postgres://«user»:***@«host»/«db»
        ~~~
        api_key: [REDACTED]
        ~~~
        password=••••••••
    """,
    "changeme": """
        POSTGRES_PASSWORD=changeme
        ~~~
        admin_password: changeme
        ~~~
        SECRET_KEY=change-me-in-production
        ~~~
        MYSQL_ROOT_PASSWORD: your_password_here
    """,
    "localhost_default": """
        DATABASE_URL=postgres://user:password@localhost:5432/«db»
        ~~~
        amqp://guest:guest@localhost:5672/
        ~~~
        mongodb://username:password@localhost:27017/test
        ~~~
        redis://:password@localhost:6379/0
    """,
    "aws_documented": """
        aws_access_key_id = AKIAIOSFODNN7EXAMPLE
        aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY
        ~~~
        AWS Access Key ID [None]: AKIAIOSFODNN7EXAMPLE
    """,
    "shortened": """
        OPENAI_API_KEY=sk-...
        ~~~
        ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
        ~~~
        Authorization: Bearer eyJ...
        ~~~
        ANTHROPIC_API_KEY="sk-ant-..."
        ~~~
        STRIPE_SECRET_KEY=sk_live_xxxxxxxxxxxx
    """,
    "empty": """
        API_KEY=
        DB_PASSWORD=""
        ~~~
        password: null
        ~~~
        token: ''
        ~~~
        password = None
    """,
    "said_in_words": """
        password: see 1Password
        ~~~
        The password is stored in the vault, ask the platform team for access.
        ~~~
        api_key: not set
        ~~~
        The token is invalid or expired.
        ~~~
        Password must be at least twelve characters.
    """,
    "kubernetes_reference": """
        env:
        - name: DB_PASSWORD
          valueFrom:
            secretKeyRef:
              name: «app»-db
              key: password
        ~~~
        secretName: «app»-tls
        ~~~
        imagePullSecrets:
        - name: registry-credentials
        ~~~
        existingSecret: «app»-postgresql
    """,
    "stored_elsewhere": """
        secret_name: prod/«app»/database
        ~~~
        password: op://Engineering/«app»/password
        ~~~
        password_file: /run/secrets/db_password
        ~~~
        POSTGRES_PASSWORD_FILE=/run/secrets/postgres_password
        ~~~
        token_path = "~/.config/«app»/token"
        ~~~
        credentials: vault:secret/data/«app»#password
    """,
    "key_files": """
        ssh -i ~/.ssh/id_ed25519 deploy@«host»
        ~~~
        ssl_certificate_key /etc/ssl/private/«domain».key;
        ~~~
        GOOGLE_APPLICATION_CREDENTIALS=/srv/keys/«app».json
        ~~~
        private_key_path: keys/«app».pem
    """,
    "flags_documented": """
          -p, --password string   password for the registry
              --password-stdin    take the password from stdin
        ~~~
        --token TOKEN         the API token (default: $API_TOKEN)
        ~~~
        usage: login [-h] [--user USER] [--password PASSWORD] host
        ~~~
        mysql -u root -p
        ~~~
        docker login --username «user» --password-stdin
    """,
    "prompts": """
        [sudo] password for maria:
        ~~~
        Enter passphrase for key '/root/.ssh/id_rsa':
        ~~~
        Password for user postgres:
        ~~~
        remote: Support for password authentication was removed on August 13, 2021.
    """,
    "failures": """
        FATAL:  password authentication failed for user "«user»"
        ~~~
        ERROR 1045 (28000): Access denied for user 'root'@'localhost' (using password: YES)
        ~~~
        SyntaxError: Unexpected token '<', "<!DOCTYPE "... is not valid JSON
        ~~~
        401 Unauthorized: missing bearer token
        ~~~
        KeyError: 'API_KEY'
    """,
    "i18n": """
        "login.password": "Password:",
        "login.forgot": "Passwort vergessen?"
        ~~~
        password_label: "Mot de passe"
        ~~~
        msgid "Password:"
        msgstr "Contraseña:"
        ~~~
        "passwordHint": "Mindestens zwölf Zeichen",
    """,
}
