"""Where secrets stand: in settings, deployments, code, command lines, requests, logs and chats."""

from tests.kit.secrets.shapes import Maker, shapes_of, standing

SHAPES = shapes_of(r"""
$ cat ~/.pgpass⏎*:*:*:«user»:⟦<tame>⟧
* admin panel: https://«host»/admin⏎* admin / `⟦<tame>⟧`
++ docker login -u «user» -p ⟦<tame>⟧ «host»⏎Login Succeeded
2026-03-02 «time» DEBUG [«app»] obtained access token: ⟦<opaque>⟧
@Value("${db.password:⟦<password>⟧}") String dbPassword;
_auth=⟦<login>⟧⏎email=«email»
A senha é ⟦<password>⟧
ALTER ROLE «user» WITH LOGIN PASSWORD '⟦<password>⟧';
Anmelden mit «user» und dem Kennwort "⟦<password>⟧".
API_TOKEN: Final = "⟦<opaque>⟧"
APP_ENV=«stage»⏎DB_HOST=«host»⏎DB_USERNAME=«user»⏎DB_PASSWORD=⟦<tame>⟧
Authorization: Basic ⟦<login>⟧
Authorization: Token token="⟦<opaque>⟧"
bcp «db».dbo.orders out o.dat -c -S «host» -U «user» -P ⟦<tame>⟧
btw the «stage» db password is `⟦<password>⟧`, user is «user»
CELERY_BROKER_URL = 'redis://«user»:⟦<url>⟧@«ip»:6379/1'
{"clientId": "«uuid»", "clientSecret": "⟦<alnum:3>8Q~<urlsafe:34>⟧", "tenantId": "«uuid»"}
CLOUDINARY_URL=cloudinary://48«num10»551:⟦<urlsafe:27>⟧@«word»
    command: redis-server --requirepass ⟦<tame>⟧ --appendonly yes
const DB_PASS = "⟦<password>⟧";
Cookie: session=⟦eyJ<urlsafe:24>.<urlsafe:6>.<urlsafe:27>⟧
Cookie: theme=dark; sessionid=⟦<urlsafe:43>⟧; lang=de
curl -X POST -d @a https://hooks.slack.com/services/⟦T0<upnum:9>/B0<upnum:9>/<alnum:24>⟧
curl -XGET 'https://«host»/api' -H 'authorization: token ⟦<opaque>⟧' -H 'accept: */*'
curl https://auth.«domain»/oauth/token -d client_id=«app» -d client_secret=⟦<tame>⟧
db.createUser({user: "«user»", pwd: "⟦<tame>⟧", roles: ["readWrite"]})
declare -x ADMIN_PASSWORD="⟦<tame>⟧"⏎declare -x HOME="/root"
default login «email» password ⟦<tame>⟧
define("DB_PASSWORD", "⟦<password>⟧");
[distutils]⏎index-servers = internal⏎[internal]⏎username = «user»⏎password = ⟦<tame>⟧
DJANGO_SECRET_KEY="⟦<signs:50>⟧"
echo ⟦<tame>⟧ | docker login --username «user» --password-stdin registry.«domain»
echo ⟦<tame>⟧ | sudo -S apt-get upgrade
Endpoint=sb://«word».servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey=⟦<bytes:32>⟧
ExecStart=/opt/«app»/run --user «user» --password ⟦<tame>⟧
export AWS_SESSION_TOKEN=⟦Fw8WV<base64:475>⟧
GET /v1/«app» HTTP/1.1⏎Host: api.«domain»⏎Authorization: Bearer ⟦<jwt>⟧
Given I log in as "«user»" with password "⟦<tame>⟧"
[global]⏎index-url = https://«user»:⟦<tame>⟧@pypi.«domain»/simple
GOOGLE_PRIVATE_KEY="-----BEGIN PRIVATE KEY-----\n⟦<pem>⟧\n-----END PRIVATE KEY-----\n"
"headers": { "X-API-Key": "⟦<hex:40>⟧" }, "url": "https://mcp.«domain»/sse"
helm upgrade --install «app» ./chart --set postgresql.auth.password=⟦<tame>⟧
hostname «word»-sw1⏎username «user» privilege 15 password 0 ⟦<tame>⟧
HTTP_PROXY="http://«user»:⟦<url>⟧@«ip»:8080"
https://api.telegram.org/bot⟦<digits:10>:AA<urlsafe:33>⟧/sendMessage?chat_id=-100«num10»
https://«company».webhook.office.com/webhookb2/«uuid»@«uuid»/IncomingWebhook/⟦<hex:32>/<uuid>⟧
impacket-psexec -hashes :⟦<hex:32>⟧ «user»@«ip»
jarsigner -keystore r.jks -storepass ⟦<tame>⟧ app.apk «app»
'key' => env('APP_KEY', 'base64:⟦<bytes:32>⟧'),
kinit «user»@«word».IO <<< '⟦<tame>⟧'
kubectl create secret generic «app» --from-literal=password=⟦<tame>⟧
leftid=«domain»⏎«user» : EAP "⟦<bytes:24>⟧"
Location: https://s3.«region».amazonaws.com/«word»/r.pdf?X-Amz-Signature=⟦<hex:64>⟧
<machineKey decryption="AES" validation="SHA1"⏎    validationKey="⟦<HEX:128>⟧"/>
mutation { login(email: "«email»", password: "⟦<password>⟧") { id } }
network={⏎    ssid="«word»"⏎    psk="⟦<tame>⟧"⏎}
New API key: ⟦<opaque>⟧
npm config set //npm.«domain»/:_authToken ⟦<opaque>⟧
openssl enc -d -aes-256-cbc -K ⟦<hex:64>⟧ -iv «hex32» -in a.enc
origin	https://«user»:⟦<tame>⟧@git.«domain»/«company»/«app».git (fetch)
os.environ.setdefault('ADMIN_PASS', '⟦<password>⟧')
password: ⟦<tame>⟧⏎chpasswd: {expire: false}⏎ssh_pwauth: true
PGPASSWORD=⟦<tame>⟧ psql -h «host» -U «user» «db»
postgresql:⏎  auth:⏎    username: «user»⏎    password: ⟦<tame>⟧⏎    database: «db»
redis-cli -h «host» -a ⟦<tame>⟧ INFO
refresh_token: ⟦<urlsafe:64>⟧
region         = "«region»"⏎admin_password = "⟦<password>⟧"
Server=tcp:«host»,1433;Initial Catalog=«db»;User ID=«user»;Password=⟦<tame>⟧;Encrypt=True;
<Server><Host>«host»</Host><User>«user»</User><Pass>⟦<tame>⟧</Pass></Server>
<server><id>nexus</id><username>«user»</username><password>⟦<xml>⟧</password></server>
"signedUrl": "https://storage.googleapis.com/«word»/b?X-Goog-Signature=⟦<hex:512>⟧"
spring.mail.password = ⟦<password>⟧
SQLALCHEMY_DATABASE_URI = "mysql+pymysql://«user»:⟦<url>⟧@«host»/«db»?charset=utf8mb4"
sshpass -p ⟦<tame>⟧ ssh -o StrictHostKeyChecking=no «user»@«host»
ssl.keystore.password=⟦<tame>⟧⏎ssl.keystore.location=/etc/kafka/«app».jks
stats auth admin:⟦<tame>⟧
Subject: Your new account⏎⏎Username: «email»⏎Temporary password: ⟦<alnum:12>⟧
The generated password for the elastic built-in superuser is:⏎⟦<tame>⟧
twine upload -u __token__ -p ⟦<opaque>⟧ dist/*
unzip -P '⟦<tame>⟧' «db».zip
url,username,password,note⏎https://«host»,«email»,⟦<tame>⟧,"from «word»"
Use this bearer token: `⟦<opaque>⟧`. It runs out on Friday.
{"username":"«user»","pass":"⟦<password>⟧","remember":true}
users:⏎- name: «user»⏎  user:⏎    token: ⟦k8s-aws-v1.<urlsafe:300>⟧
var secure = new SecureString(); foreach (var c in "⟦<password>⟧") secure.AppendChar(c);
<wsse:Username>«user»</wsse:Username>⏎<wsse:Password Type="PasswordText">⟦<tame>⟧</wsse:Password>
you can sign in at https://«app».«domain» as «user» with password ⟦<tame>⟧
«app»::database::password: '⟦<tame>⟧'
[«stage»]⏎aws_secret_access_key=⟦<base64:40>⟧⏎aws_access_key_id=«accesskey»⏎region=«region»
«user»     «pid»  0.3  1.1 mysqladmin -u «user» -p'⟦<tame>⟧' ping
{⏎    "auths": {⏎        "https://index.docker.io/v1/": {⏎            "auth": "⟦<login>⟧"
비밀번호: ⟦<tame>⟧
spring:⏎  datasource:⏎    url: jdbc:postgresql://«host»:5432/«db»⏎    username: «user»⏎
    password: ⟦<tame>⟧
$ aws ssm get-parameter --with-decryption --name /«app»/db/password --query Parameter.Value⏎
"⟦<tame>⟧"
@@ -12,3 +12,3 @@ production:⏎   username: «user»⏎-  password: ⟦<tame>⟧⏎
+  password: <%= ENV["DB_PASSWORD"] %>
{"ConnectionStrings": {⏎
  "Default": "Server=«host»;Database=«db»;User Id=«user»;Password=⟦<password>⟧;Encrypt=True"⏎}}
TOKEN                     TTL   EXPIRES                USAGES⏎
⟦<lownum:6>.<lownum:16>⟧   23h   «date»T«time»Z   authentication,signing
POST /saml/acs HTTP/1.1⏎Content-Type: application/x-www-form-urlencoded⏎⏎
SAMLResponse=⟦<saml>⟧&RelayState=%2F«app»
{"client_id": "«account».apps.googleusercontent.com", "client_secret": "d-«word»",⏎
 "refresh_token": "⟦1//0<lownum:1><urlsafe:98>⟧", "type": "authorized_user"}
""")
KINDS: dict[str, Maker] = {shape: standing(shape) for shape in SHAPES}
