"""Passwords and tokens given to the command lines of HTTP, databases and clouds."""

from __future__ import annotations

from tests.kit.secrets.planted import Maker
from tests.kit.secrets.second.draws import (
    BASE64,
    of,
    opaque,
    tame,
)
from tests.kit.secrets.second.shapes import planted

KINDS: dict[str, Maker] = {
    "curl_user": planted(tame)("""
        curl -u «user»:«secret» https://api.«domain»/v1/«app»
        ~~~
        curl -sS --user '«user»:«secret»' -X POST https://«host»:«port»/_bulk
        ~~~
        curl -k -u"«email»:«secret»" https://«ip»/api
    """),
    "curl_bearer": planted(opaque)("""
        curl -H "Authorization: Bearer «secret»" https://api.«domain»/v1/users
        ~~~
        curl -XGET 'https://«host»/api' -H 'authorization: token «secret»' -H 'accept: */*'
        ~~~
        curl --header "PRIVATE-TOKEN: «secret»" "https://git.«domain»/api/v4/projects"
        ~~~
        wget --header="X-Auth-Token: «secret»" https://«host»/dump.tar.gz
        ~~~
        http GET https://api.«domain»/me "Authorization:Bearer «secret»"
    """),
    "curl_grant": planted(tame)("""
        curl -d "grant_type=password&username=«user»&password=«secret»" https://«host»/token
        ~~~
        curl https://auth.«domain»/oauth/token -d client_id=«app» -d client_secret=«secret»
        ~~~
        curl -X POST «host»/login -d '{"username":"«user»","password":"«secret»"}'
    """),
    "psql": planted(tame)("""
        PGPASSWORD=«secret» psql -h «host» -U «user» «db»
        ~~~
        PGPASSWORD='«secret»' pg_dump -Fc -h «ip» -U «user» «db» > «db».dump
        ~~~
        psql "host=«host» user=«user» password=«secret» dbname=«db» sslmode=require"
    """),
    "mysql": planted(tame)("""
        mysql -h «host» -u «user» -p«secret» «db»
        ~~~
        mysqldump --single-transaction -u«user» --password=«secret» «db» | gzip > dump.sql.gz
        ~~~
        MYSQL_PWD=«secret» mysql -u«user» -e 'show processlist'
        ~~~
        «user»     «pid»  0.3  1.1 mysqladmin -u «user» -p'«secret»' ping
    """),
    "mongo": planted(tame)("""
        mongosh --host «host» -u «user» -p «secret» --authenticationDatabase admin
        ~~~
        mongodump --username=«user» --password=«secret» --db «db»
        ~~~
        db.auth("«user»", "«secret»")
        ~~~
        db.createUser({user: "«user»", pwd: "«secret»", roles: ["readWrite"]})
    """),
    "redis": planted(tame)("""
        redis-cli -h «host» -a «secret» INFO
        ~~~
        REDISCLI_AUTH=«secret» redis-cli -h «host» --scan
        ~~~
        «ip»:6379> AUTH «secret»
        OK
        ~~~
        «ip»:6379> CONFIG SET requirepass "«secret»"
    """),
    "sqlserver_oracle": planted(tame)("""
        sqlcmd -S «host» -U sa -P «secret» -Q "select 1"
        ~~~
        bcp «db».dbo.orders out o.dat -c -S «host» -U «user» -P «secret»
        ~~~
        sqlplus «user»/«secret»@//«host»:1521/ORCL
        ~~~
        impdp system/«secret» directory=DUMP dumpfile=«db».dmp
        ~~~
        docker run -e ACCEPT_EULA=Y -e MSSQL_SA_PASSWORD='«secret»' -p 1433:1433 mssql/server
    """),
    "other_databases": planted(tame)("""
        clickhouse-client --host «host» --user «user» --password «secret»
        ~~~
        cqlsh «ip» -u «user» -p «secret»
        ~~~
        cypher-shell -a bolt://«host» -u neo4j -p «secret»
        ~~~
        influx -username «user» -password «secret» -database metrics
        ~~~
        SNOWSQL_PWD=«secret» snowsql -a «company» -u «user»
    """),
    "aws_configure": planted(of((BASE64, 40)))("""
        aws configure set aws_secret_access_key «secret» --profile «stage»
        ~~~
        AWS Access Key ID [None]: «accesskey»
        AWS Secret Access Key [None]: «secret»
        ~~~
        AWS_ACCESS_KEY_ID=«accesskey» AWS_SECRET_ACCESS_KEY=«secret» aws s3 ls
    """),
}
