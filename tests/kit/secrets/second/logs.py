"""Secrets that leak in logs, traces, dumps and the output of consoles and builds."""

from __future__ import annotations

from tests.kit.secrets.planted import Maker
from tests.kit.secrets.second.draws import BASE64, HEX, either, jwt, of, opaque, password, tame
from tests.kit.secrets.second.shapes import planted

KINDS: dict[str, Maker] = {
    "debug_token": planted(either(opaque, jwt))("""
        2026-03-02 «time» DEBUG [«app»] obtained access token: «secret»
        ~~~
        «time» auth.go:«n»: using token=«secret» for «host»
        ~~~
        {"level":"debug","msg":"refreshed","token":"«secret»","user":"«user»"}
        ~~~
        [«time»] TRACE headers=[Authorization:"Bearer «secret»", Accept:"*/*"]
        ~~~
        D/OkHttp: Authorization: Bearer «secret»
    """),
    "debug_password": planted(tame)("""
        «time» DEBUG login attempt user=«user» password=«secret» ip=«ip»
        ~~~
        INFO  Connecting with {host: '«host»', user: '«user»', password: '«secret»'}
        ~~~
        config = Config(host='«host»', port=«port», username='«user»', password='«secret»')
        ~~~
        Settings{dbUser=«user», dbPassword=«secret», pool=20}
        ~~~
        &{Host:«host» User:«user» Password:«secret» Port:5432}
        ~~~
        map[password:«secret» user:«user»]
    """),
    "generated_admin": planted(tame)("""
        *************************************************************
        Please use the following password to proceed to installation:

        «secret»
        ~~~
        Using generated security password: «secret»
        ~~~
        A temporary password is generated for root@localhost: «secret»
        ~~~
        GENERATED ROOT PASSWORD: «secret»
        ~~~
        The generated password for the elastic built-in superuser is:
        «secret»
        ~~~
        Login Succeeded: admin password set to '«secret»'
    """),
    "trace_with_url": planted(tame)("""
        sqlalchemy.exc.OperationalError: could not connect
          dsn: postgresql://«user»:«secret»@«host»:5432/«db»
        ~~~
        MongoServerError: Authentication failed.
            at connect (mongodb://«user»:«secret»@«host»/«db»)
        ~~~
        Caused by: java.sql.SQLException: url=jdbc:mysql://«host»/«db»?user=«user»&password=«secret»
            at com.«word».Db.open(Db.java:«n»)
        ~~~
        fatal: unable to access 'https://«user»:«secret»@git.«domain»/«app».git/': 403
    """),
    "trace_locals": planted(password)("""
          File "/srv/«app»/db.py", line «n», in connect
            connect(user='«user»', password='«secret»')
        OperationalError: timeout
        ~~~
        locals: {'self': <Db>, 'password': '«secret»', 'retries': 3}
        ~~~
        PDOException in Db.php:«n»: PDO->__construct('mysql:host=«host»', '«user»', '«secret»')
        ~~~
        | Variable | Value |
        | password | '«secret»' |
    """),
    "shell_trace": planted(tame)("""
        + export PGPASSWORD=«secret»
        + psql -h «host» -U «user»
        ~~~
        ++ docker login -u «user» -p «secret» «host»
        Login Succeeded
        ~~~
        [Pipeline] sh
        + mysql -h «host» -u«user» -p«secret» -e source schema.sql
        ~~~
        #12 [5/9] RUN DB_PASSWORD=«secret» ./configure
    """),
    "env_dump": planted(tame)("""
        $ env | sort
        HOME=/root
        MYSQL_PASSWORD=«secret»
        PATH=/usr/local/bin:/usr/bin
        ~~~
        declare -x ADMIN_PASSWORD="«secret»"
        declare -x HOME="/root"
        ~~~
        process.env { NODE_ENV: 'production', DB_PASSWORD: '«secret»', PORT: '«port»' }
        ~~~
        environ({'HOME': '/root', 'SMTP_PASSWORD': '«secret»'})
    """),
    "console_output": planted(opaque)("""
        Token created. Copy it now, you won't see it again:

        «secret»
        ~~~
        $ cat /run/secrets/«app»_token
        «secret»
        ~~~
        $ ./bin/«app» tokens create --name ci
        «secret»
        ~~~
        NAME       TOKEN
        «app»      «secret»
        ~~~
        New API key: «secret»
        ~~~
        api_key   | «secret»
        user_name | «user»
    """),
    "aws_console": planted(of((BASE64, 40)))("""
        {"AccessKey": {"UserName": "«user»", "AccessKeyId": "«accesskey»",
          "Status": "Active", "SecretAccessKey": "«secret»"}}
        ~~~
        User name,Access key ID,Secret access key
        «user»,«accesskey»,«secret»
        ~~~
        export AWS_ACCESS_KEY_ID=«accesskey»
        export AWS_SECRET_ACCESS_KEY="«secret»"
        ~~~
        {"Code":"Success","AccessKeyId":"«accesskey»","SecretAccessKey":"«secret»","Token":"IQ«id8»"}
        ~~~
        new AWS.S3({ accessKeyId: '«accesskey»', secretAccessKey: '«secret»' })
        ~~~
        boto3.client("s3", aws_access_key_id="«accesskey»", aws_secret_access_key="«secret»")
        ~~~
        aws_iam_access_key.ci: secret = "«secret»"
    """),
    "diff_of_secret": planted(tame)("""
        @@ -12,3 +12,3 @@ production:
           username: «user»
        -  password: «secret»
        +  password: <%= ENV["DB_PASSWORD"] %>
        ~~~
        diff --git a/.env b/.env
        +DB_PASSWORD=«secret»
        ~~~
        «hex7» («user» 2026-03-02 «n») password = "«secret»"
    """),
    "search_hits": planted(tame)("""
        config/«stage».yml:«n»:  password: «secret»
        ~~~
        ./deploy/.env:4:SMTP_PASSWORD=«secret»
        ./deploy/.env:5:SMTP_PORT=587
        ~~~
        src/db.js
        «n»:  password: '«secret»',
    """),
    "wire_dump": planted(tame)("""
        > AUTH PLAIN «user» «secret»
        < 235 Authentication successful
        ~~~
        USER «user»
        331 Password required
        PASS «secret»
        230 Logged in
        ~~~
        a1 LOGIN «email» «secret»
        a1 OK
        ~~~
        PASS oauth:«secret»
        NICK «user»
        ~~~
        PRIVMSG NickServ :IDENTIFY «user» «secret»
    """),
    "hashes_of_login": planted(of((HEX, 32)))("""
        Administrator:500:aad3b435b51404eeaad3b435b51404ee:«secret»:::
        ~~~
        impacket-psexec -hashes :«secret» «user»@«ip»
    """),
    "redis_and_memcache": planted(opaque)("""
        «ip»:6379> GET session:«user»:token
        "«secret»"
        ~~~
        1) "access_token"
        2) "«secret»"
        ~~~
        HGETALL user:«n» -> {"api_token": "«secret»", "plan": "pro"}
    """),
}
