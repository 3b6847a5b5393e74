"""Passwords and tokens on command lines, in histories and in lists of processes."""

from __future__ import annotations

from tests.kit.secrets.planted import Maker
from tests.kit.secrets.second.draws import (
    LOWNUM,
    of,
    opaque,
    password,
    tame,
)
from tests.kit.secrets.second.shapes import planted

KINDS: dict[str, Maker] = {
    "docker_login": planted(tame)("""
        docker login registry.«domain» -u «user» -p «secret»
        ~~~
        echo «secret» | docker login --username «user» --password-stdin registry.«domain»
        ~~~
        podman login --username=«user» --password='«secret»' «host»:5000
        ~~~
        skopeo copy --src-creds «user»:«secret» docker://«host»/«app» dir:/tmp/«app»
        ~~~
        helm registry login «host» -u «user» -p «secret»
    """),
    "helm_set": planted(tame)("""
        helm upgrade --install «app» ./chart --set postgresql.auth.password=«secret»
        ~~~
        helm install «app» repo/«app» --set-string 'adminPassword=«secret»' -n «stage»
    """),
    "kubectl_literal": planted(tame)("""
        kubectl create secret generic «app» --from-literal=password=«secret»
        ~~~
        kubectl -n «stage» create secret generic db --from-literal=DB_PASS='«secret»'
        ~~~
        kubectl create secret docker-registry reg --docker-username=«user» \\
          --docker-password=«secret» --docker-server=«host»
    """),
    "openssl_pass": planted(tame)("""
        openssl rsa -in key.pem -passin pass:«secret» -out plain.pem
        ~~~
        openssl pkcs12 -export -in c.pem -inkey k.pem -out c.p12 -passout pass:'«secret»'
        ~~~
        openssl enc -aes-256-cbc -pbkdf2 -in a.tar -out a.enc -k «secret»
    """),
    "sshpass": planted(tame)("""
        sshpass -p «secret» ssh -o StrictHostKeyChecking=no «user»@«host»
        ~~~
        sshpass -p'«secret»' scp dump.sql «user»@«ip»:/tmp
        ~~~
        SSHPASS=«secret» sshpass -e ssh «user»@«host» uptime
        ~~~
        ssh-keygen -t ed25519 -f id_deploy -N «secret»
    """),
    "ldap": planted(tame)("""
        ldapsearch -x -H ldap://«host» -D "cn=«user»,dc=«word»,dc=io" -w «secret» -b dc=«word»
        ~~~
        ldapmodify -D cn=admin -w '«secret»' -f change.ldif
        ~~~
        LDAP_BIND_CREDENTIALS=«secret»
        ~~~
        kinit «user»@«word».IO <<< '«secret»'
    """),
    "windows_shares": planted(tame)("""
        smbclient //«host»/share -U «user»%«secret»
        ~~~
        net use Z: \\\\«host»\\share /user:«word»\\«user» «secret» /persistent:yes
        ~~~
        cmdkey /add:«host» /user:«user» /pass:«secret»
        ~~~
        net user «user» «secret» /add
        ~~~
        xfreerdp /v:«ip» /u:«user» /p:«secret» /cert:ignore
    """),
    "powershell_secure": planted(password)("""
        $pw = ConvertTo-SecureString "«secret»" -AsPlainText -Force
        ~~~
        New-Object System.Net.NetworkCredential('«user»', '«secret»')
        ~~~
        Invoke-Sqlcmd -ServerInstance «host» -Username «user» -Password '«secret»' -Query 'q'
    """),
    "vault_put": planted(tame)("""
        vault kv put secret/«app» db_password=«secret» db_user=«user»
        ~~~
        vault login «secret»
        ~~~
        ======= Data =======
        Key         Value
        ---         -----
        password    «secret»
        username    «user»
        ~~~
        vault write auth/userpass/users/«user» password='«secret»' policies=admin
    """),
    "gpg_passphrase": planted(tame)("""
        gpg --batch --passphrase «secret» -d backup.tar.gpg
        ~~~
        gpg --pinentry-mode loopback --passphrase='«secret»' --sign «app».deb
        ~~~
        echo '«secret»' | gpg --batch --yes --passphrase-fd 0 -c dump.sql
        ~~~
        BORG_PASSPHRASE='«secret»' borg create ::nightly /srv
        ~~~
        RESTIC_PASSWORD=«secret» restic -r s3:«host»/backup snapshots
    """),
    "htpasswd": planted(tame)("""
        htpasswd -b /etc/nginx/.htpasswd «user» «secret»
        ~~~
        htpasswd -nbB «user» '«secret»'
        ~~~
        rabbitmqctl add_user «user» «secret»
        ~~~
        mosquitto_pub -h «host» -u «user» -P «secret» -t «app»/up -m 1
    """),
    "unix_passwords": planted(tame)("""
        echo '«user»:«secret»' | sudo chpasswd
        ~~~
        echo «secret» | sudo -S apt-get upgrade
        ~~~
        expect -c 'spawn ssh «user»@«host»; expect "assword:"; send "«secret»\\r"; interact'
        ~~~
        printf '%s\\n' '«secret»' '«secret»' | passwd «user»
    """),
    "archives": planted(tame)("""
        7z x backup.7z -p«secret» -o/tmp/out
        ~~~
        zip -r -P «secret» out.zip reports/
        ~~~
        unzip -P '«secret»' «db».zip
    """),
    "keystores": planted(tame)("""
        keytool -importkeystore -srckeystore a.jks -srcstorepass «secret» -destkeystore b.p12
        ~~~
        keytool -list -keystore «app».jks -storepass '«secret»'
        ~~~
        jarsigner -keystore r.jks -storepass «secret» app.apk «app»
        ~~~
        signtool sign /f cert.pfx /p «secret» setup.exe
        ~~~
        security unlock-keychain -p "«secret»" login.keychain
    """),
    "transfer": planted(tame)("""
        lftp -u «user»,«secret» sftp://«host»
        ~~~
        RSYNC_PASSWORD=«secret» rsync -a «user»@«host»::data /srv
        ~~~
        wget --user=«user» --password=«secret» https://«host»/dump.gz
        ~~~
        svn checkout https://svn.«domain»/trunk --username «user» --password «secret»
    """),
    "machines": planted(tame)("""
        ipmitool -I lanplus -H «ip» -U ADMIN -P «secret» chassis status
        ~~~
        snmpwalk -v3 -u «user» -A «secret» -a SHA «ip» sysDescr
        ~~~
        evil-winrm -i «ip» -u «user» -p '«secret»'
        ~~~
        etcdctl --user root:«secret» endpoint health
        ~~~
        argocd login «host» --username admin --password «secret» --insecure
    """),
    "join_tokens": planted(of((LOWNUM, 6), ".", (LOWNUM, 16)))("""
        kubeadm join «ip»:6443 --token «secret» --discovery-token-ca-cert-hash sha256:«hex64»
        ~~~
        TOKEN                     TTL   EXPIRES                USAGES
        «secret»   23h   «date»T«time»Z   authentication,signing
        ~~~
        K3S_TOKEN=«secret» K3S_URL=https://«ip»:6443 sh install.sh
    """),
    "login_clis": planted(opaque)("""
        wandb login «secret»
        ~~~
        oc login https://«host»:6443 --token=«secret»
        ~~~
        sentry-cli --auth-token «secret» releases list
        ~~~
        vercel deploy --prod --token «secret»
        ~~~
        gh auth login --with-token <<< «secret»
        ~~~
        doctl auth init -t «secret»
        ~~~
        twine upload -u __token__ -p «secret» dist/*
        ~~~
        dotnet nuget push a.nupkg --api-key «secret» -s https://«host»/v3/index.json
        ~~~
        npm publish --//npm.«domain»/:_authToken=«secret»
    """),
    "history": planted(tame)("""
          «n»  export DB_PASSWORD=«secret»
          «n»  systemctl restart «app»
        ~~~
        : 1767«n»0012:0;mysql -uroot -p«secret»
        ~~~
        $ history | grep pass
         «n»  ./deploy.sh --user «user» --pass «secret»
    """),
    "process_list": planted(tame)("""
        root   «pid»  0.0  0.4 java -Ddb.user=«user» -Ddb.password=«secret» -jar «app».jar
        ~~~
        «pid» ?  Ssl  0:02 /usr/bin/«app» --db-password=«secret» --port «port»
        ~~~
        PID=«pid» HOME=/root DB_PASS=«secret» PATH=/usr/bin:/bin
    """),
}
