"""Passwords and tokens written into source code, SQL and tests."""

from __future__ import annotations

from tests.kit.secrets.planted import Maker
from tests.kit.secrets.second.draws import HEX, base64_bytes, either, of, opaque, password, tame
from tests.kit.secrets.second.shapes import planted

KINDS: dict[str, Maker] = {
    "python": planted(password)("""
        password = "«secret»"
        ~~~
        conn = psycopg2.connect(host="«host»", user="«user»", password="«secret»")
        ~~~
        DB = dict(user='«user»', passwd='«secret»', db='«db»')
        ~~~
        client.connect("«ip»", port=22, username="«user»", password="«secret»")
        ~~~
        requests.get(url, auth=("«user»", "«secret»"))
        ~~~
        os.environ["DB_PASSWORD"] = "«secret»"
        ~~~
        os.environ.setdefault('ADMIN_PASS', '«secret»')
    """),
    "python_tokens": planted(opaque)("""
        API_TOKEN: Final = "«secret»"
        ~~~
        client = ApiClient(api_key="«secret»", region="«region»")
        ~~~
        headers["Authorization"] = f"Bearer {'«secret»'}"
        ~~~
        token = os.getenv("SERVICE_TOKEN", "«secret»")
    """),
    "javascript": planted(password)("""
        const password = '«secret»';
        ~~~
        const pool = new Pool({ user: '«user»', password: '«secret»', host: '«host»' });
        ~~~
        process.env.DB_PASS = "«secret»";
        ~~~
        const dbPassword = process.env.DB_PASSWORD || '«secret»';
        ~~~
        mysql.createConnection({host:"«host»",user:"«user»",password:"«secret»"})
        ~~~
        let auth = { username: "«email»", password: `«secret»` };
    """),
    "typescript_tokens": planted(opaque)("""
        export const environment = { production: true, apiKey: '«secret»' };
        ~~~
        private readonly apiToken: string = "«secret»";
        ~~~
        const client = new Client({ accessToken: '«secret»' });
        ~~~
        jwt.sign(payload, '«secret»', { expiresIn: '1h' })
    """),
    "java": planted(password)("""
        private static final String PASSWORD = "«secret»";
        ~~~
        DriverManager.getConnection(url, "«user»", "«secret»");
        ~~~
        dataSource.setPassword("«secret»");
        ~~~
        char[] pw = "«secret»".toCharArray();
        ~~~
        @Value("${db.password:«secret»}") String dbPassword;
    """),
    "go": planted(password)("""
        const dbPassword = "«secret»"
        ~~~
        cfg := mysql.Config{User: "«user»", Passwd: "«secret»", Net: "tcp"}
        ~~~
        os.Setenv("DB_PASSWORD", "«secret»")
        ~~~
        req.SetBasicAuth("«user»", "«secret»")
        ~~~
        password := `«secret»`
    """),
    "ruby": planted(password)("""
        Mysql2::Client.new(host: '«host»', username: '«user»', password: '«secret»')
        ~~~
        DB_PASSWORD = '«secret»'.freeze
        ~~~
        ENV['PGPASSWORD'] ||= "«secret»"
        ~~~
        :password => "«secret»",
    """),
    "php": planted(password)("""
        $password = '«secret»';
        ~~~
        $pdo = new PDO($dsn, '«user»', '«secret»');
        ~~~
        curl_setopt($ch, CURLOPT_USERPWD, '«user»:«secret»');
        ~~~
        const DB_PASS = "«secret»";
    """),
    "csharp": planted(password)("""
        var credential = new NetworkCredential("«user»", "«secret»");
        ~~~
        private const string Password = @"«secret»";
        ~~~
        builder.Password = "«secret»";
        ~~~
        var secure = new SecureString(); foreach (var c in "«secret»") secure.AppendChar(c);
    """),
    "other_languages": planted(tame)("""
        let password = "«secret»".to_string();
        ~~~
        val dbPassword: String = "«secret»"
        ~~~
        static const char *wifi_pass = "«secret»";
        ~~~
        #define WIFI_PASSWORD "«secret»"
        ~~~
        my $password = '«secret»';
        ~~~
        let apiSecret = "«secret»" // Swift
        ~~~
        (def db {:user "«user»" :password "«secret»"})
        ~~~
        String password = '«secret»'; // Dart
        ~~~
        con <- dbConnect(drv, user = "«user»", password = "«secret»")
        ~~~
        Dim pwd As String = "«secret»"
    """),
    "sql_users": planted(password)("""
        CREATE USER '«user»'@'%' IDENTIFIED BY '«secret»';
        ~~~
        ALTER ROLE «user» WITH LOGIN PASSWORD '«secret»';
        ~~~
        create user «user» with encrypted password '«secret»' valid until '«date»';
        ~~~
        CREATE LOGIN [«user»] WITH PASSWORD = N'«secret»', CHECK_POLICY = ON;
        ~~~
        ALTER USER «user» IDENTIFIED BY "«secret»" ACCOUNT UNLOCK;
        ~~~
        GRANT ALL ON «db».* TO '«user»'@'«host»' IDENTIFIED BY '«secret»';
        ~~~
        SET PASSWORD FOR '«user»'@'%' = PASSWORD('«secret»');
    """),
    "sql_rows": planted(tame)("""
        INSERT INTO users (email, password) VALUES ('«email»', '«secret»');
        ~~~
        UPDATE accounts SET password = '«secret»' WHERE login = '«user»';
        ~~~
        CREATE USER MAPPING FOR «user» SERVER far OPTIONS (user '«user»', password '«secret»');
        ~~~
        COPY sales FROM 's3://«word»/x' CREDENTIALS
          'aws_access_key_id=«accesskey»;aws_secret_access_key=«secret»';
        ~~~
        CHANGE MASTER TO MASTER_HOST='«host»', MASTER_USER='repl', MASTER_PASSWORD='«secret»';
    """),
    "crypto_constants": planted(either(of((HEX, 64)), base64_bytes(32), of((HEX, 32))))("""
        ENCRYPTION_KEY = "«secret»"
        ~~~
        private static final String AES_KEY = "«secret»";
        ~~~
        Fernet(b"«secret»")
        ~~~
        var hmacSecret = []byte("«secret»")
        ~~~
        encryption_key: «secret»
        ~~~
        $key = hex2bin('«secret»');
        ~~~
        openssl enc -d -aes-256-cbc -K «secret» -iv «hex32» -in a.enc
    """),
    "tests_and_fixtures": planted(tame)("""
        test("signs in", () => login("«email»", "«secret»"));
        ~~~
        user = User.objects.create_user("«user»", "«email»", "«secret»")
        ~~~
        User.create!(email: "«email»", password: "«secret»", password_confirmation: "«secret»")
        ~~~
        Given I log in as "«user»" with password "«secret»"
        ~~~
        VALID_PASSWORD = "«secret»"
    """),
    "notebook_cells": planted(opaque)("""
        {"cell_type": "code", "source": ["api_key = \\"«secret»\\"\\n", "df.head()"]}
        ~~~
        %env API_KEY=«secret»
        ~~~
        >>> token = '«secret»'
    """),
}
