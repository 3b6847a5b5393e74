"""Code that handles secrets and holds none: names, types, calls, patterns, limits."""

from __future__ import annotations

KINDS: dict[str, str] = {
    "typescript_types": """
        interface Login { username: string; password: string; }
        ~~~
        token?: string | null;
        ~~~
        apiKey: z.string().min(20),
        ~~~
        type Props = { secret: SecretRef; onToken: (token: string) => void };
    """,
    "python_signatures": """
        def check_password(password: str, hashed: bytes) -> bool:
        ~~~
        def __init__(self, token: str | None = None, api_key: str = "") -> None:
        ~~~
        password: SecretStr = Field(min_length=12)
        ~~~
        class PasswordResetToken(Model):
    """,
    "assigned_from_calls": """
        password = request.form["password"]
        ~~~
        token = tokenizer.next()
        ~~~
        password = getpass.getpass("Password: ")
        ~~~
        secret = secrets.token_urlsafe(32)
        ~~~
        const token = await getToken({ audience: 'api' });
        ~~~
        api_key = settings.api_key.get_secret_value()
        ~~~
        String password = request.getParameter("password");
        ~~~
        $password = $_POST['password'];
    """,
    "passed_on": """
        login(user=user, password=password)
        ~~~
        client = Client(token=self.token, secret=self._secret)
        ~~~
        headers = {"Authorization": f"Bearer {token}"}
        ~~~
        axios.get(url, { headers: { Authorization: `Bearer ${token}` } })
        ~~~
        db, err := sql.Open("postgres", fmt.Sprintf("user=%s password=%s", user, password))
        ~~~
        dsn = f"postgresql://{user}:{password}@{host}:{port}/{name}"
        ~~~
        req.SetBasicAuth(username, password)
    """,
    "hashing": """
        hashed = bcrypt.hashpw(password.encode(), bcrypt.gensalt(rounds=12))
        ~~~
        user.password = make_password(form.cleaned_data["password1"])
        ~~~
        if !hmac.Equal(sum, expected) { return ErrBadSignature }
        ~~~
        $hash = password_hash($password, PASSWORD_BCRYPT, ['cost' => 12]);
    """,
    "comparisons": """
        if password != confirmation:
        ~~~
        if (token === undefined) throw new Error('no token');
        ~~~
        assert response.json()["token"] == token
        ~~~
        while token.type != TokenType.EOF:
    """,
    "limits": """
        PASSWORD_MIN_LENGTH = 12
        ~~~
        token_count=1234567
        ~~~
        max_tokens: 200000
        ~~~
        TOKEN_EXPIRY_SECONDS=86400
        ~~~
        "total_tokens": 8192, "prompt_tokens": 7168,
        ~~~
        password_max_age_days = 90
    """,
    "switches": """
        PasswordAuthentication no
        ~~~
        require_password: true
        ~~~
        "passwordless": false,
        ~~~
        skip_credentials_validation = true
        ~~~
        allow_token_refresh=yes
    """,
    "cache_keys": """
        cache_key = "user:profile:v2"
        ~~~
        key = f"session:{user_id}:{version}"
        ~~~
        primary_key: order_id
        ~~~
        queryKey: ['invoices', customerId],
        ~~~
        sort_key = lambda row: row.created_at
        ~~~
        partition_key = "tenant_id#created_at"
    """,
    "names_of_keys": """
        AUTH_COOKIE_NAME = "session_token"
        ~~~
        API_KEY_HEADER = "X-API-Key"
        ~~~
        localStorage.removeItem('access_token')
        ~~~
        token_field: "refresh_token"
        ~~~
        const PASSWORD_FIELD = 'password';
        ~~~
        SECRET_ENV_NAME = "DATABASE_PASSWORD"
    """,
    "token_kinds": """
        TOKEN_IDENTIFIER = "identifier"
        ~~~
        token_type: "Bearer"
        ~~~
        grant_type=client_credentials
        ~~~
        { token: 'keyword.operator', foreground: '569cd6' }
        ~~~
        pad_token = "<|endoftext|>"
        ~~~
        tokenizer_class: "PreTrainedTokenizerFast"
    """,
    "design_tokens": """
        --token-color-primary: #3b82f6;
        ~~~
        $token-spacing-large: 24px;
        ~~~
        "color.background.danger.token": "#ffebe6"
    """,
    "css_classes": """
        <div class="sk-circle sk-fading-circle sk-child-of-spinner-animation">
        ~~~
        .sk-folding-cube-with-four-children-animated { margin: 20px auto; }
        ~~~
        .password-strength-meter__bar--strong { width: 100%; }
    """,
    "html_fields": """
        <input type="password" name="password" autocomplete="current-password">
        ~~~
        <label for="password">Password</label>
        ~~~
        <input type="hidden" name="csrfmiddlewaretoken">
        ~~~
        <meta name="csrf-param" content="authenticity_token">
    """,
    "csrf_names": """
        CSRF_COOKIE_NAME = "csrftoken"
        ~~~
        xsrfHeaderName: 'X-XSRF-TOKEN',
        ~~~
        app.use(csrf({ cookie: true, key: '_csrf' }));
    """,
    "patterns": r"""
        TOKEN = re.compile(r"ghp_[A-Za-z0-9]{36}")
        ~~~
        regex: '(?i)password\s*[:=]\s*\S+'
        ~~~
        grep -rnE 'AKIA[0-9A-Z]{16}' src/
        ~~~
        const JWT = /^eyJ[\w-]+\.[\w-]+\.[\w-]+$/;
        ~~~
        "pattern": "^sk_(live|test)_[0-9a-zA-Z]{24,}$"
        ~~~
        rg -n 'password|secret|token' --glob '!*.lock'
    """,
    "schemas": """
        "password": { "type": "string", "minLength": 12, "writeOnly": true },
        ~~~
        password VARCHAR(255) NOT NULL,
        ~~~
        t.string "encrypted_password", default: "", null: false
        ~~~
        api_key:
          type: string
          description: the key of the tenant
        ~~~
        string access_token = 3;
        ~~~
        token = models.CharField(max_length=64, unique=True)
    """,
    "sql_columns": """
        SELECT id, password_hash, token_expires_at FROM users WHERE token = $1;
        ~~~
        ALTER TABLE users ADD COLUMN reset_token text;
        ~~~
        CREATE INDEX idx_sessions_token ON sessions (token);
        ~~~
        UPDATE users SET password = crypt(:password, gen_salt('bf'));
    """,
    "imports": """
        import { TokenService } from './token.service';
        ~~~
        from app.security.passwords import PasswordPolicy, hash_password
        ~~~
        use secrecy::{ExposeSecret, SecretString};
        ~~~
        require 'openssl/pkey/private_key_helpers'
    """,
    "test_names": """
        test_password_reset_token_expires_after_one_hour PASSED
        ~~~
        it('rejects a wrong password', async () => {
        ~~~
        FAILED tests/auth/test_tokens.py::test_bearer_token_is_required - assert 200 == 401
    """,
    "paths": """
        src/components/PasswordResetForm/PasswordResetForm.stories.tsx
        ~~~
        modified:   app/services/oauth/access_token_refresher.rb
        ~~~
        import token from "@babel/parser/lib/tokenizer/context-update-expression.js"
    """,
    "urls": """
        https://docs.«domain»/guides/authentication/api-keys-and-access-tokens
        ~~~
        GET /oauth/token/introspect HTTP/1.1
        ~~~
        tokenUrl: https://auth.«domain»/realms/main/protocol/openid-connect/token
        ~~~
        git@github.com:«company»/«app».git
        ~~~
        ssh://git@git.«domain»:7999/«app»/core.git
    """,
    "lower_prose": """
        The author of the password manager wrote: a passphrase of five words is enough.
        ~~~
        fix(auth): refresh the token before it expires (#«n»)
        ~~~
        - **Password rotation**: every 90 days, see the runbook.
    """,
    "minified": """
        !function(e,t){"use strict";var n=t.token||function(e){return e.k?e.k.v:0};e.n=n}(this,{});
        ~~~
        var a=b.password,c=function(d){return d.secret===a?f(d.key):null};module.exports={a:a,c:c}
    """,
    "long_identifiers": """
        AbstractAuthenticationTokenProcessingFilterConfigurerAdapterFactoryBean
        ~~~
        _ZN4core3ptr85drop_in_place$LT$std..rt..lang_start$LT$$LP$$RP$$GT$17h«hex16»E
        ~~~
        kMaximumNumberOfConcurrentTokenRefreshRequestsPerOriginIncludingRedirects
    """,
}
