"""Passwords and keys in what deploys and provisions: containers, clusters, machines, builds."""

from __future__ import annotations

from tests.kit.secrets.planted import Maker
from tests.kit.secrets.second.draws import (
    in_base64,
    in_xml,
    password,
    tame,
)
from tests.kit.secrets.second.shapes import planted

KINDS: dict[str, Maker] = {
    "compose": planted(tame)("""
        services:
          db:
            image: postgres:16
            environment:
              POSTGRES_USER: «user»
              POSTGRES_PASSWORD: «secret»
        ~~~
          mysql:
            environment:
              - MYSQL_DATABASE=«db»
              - MYSQL_ROOT_PASSWORD=«secret»
        ~~~
            command: redis-server --requirepass «secret» --appendonly yes
    """),
    "kubernetes_secret": planted(in_base64(password))("""
        apiVersion: v1
        kind: Secret
        metadata:
          name: «app»-db
        type: Opaque
        data:
          password: «secret»
        ~~~
        {"apiVersion":"v1","data":{"DB_PASSWORD":"«secret»"},"kind":"Secret",
         "metadata":{"name":"«app»","namespace":"«stage»"}}
        ~~~
        kind: Secret
        data:
            postgres-password: "«secret»"
        metadata: {name: «app», uid: «uuid»}
    """),
    "kubernetes_string_data": planted(password)("""
        kind: Secret
        stringData:
          username: «user»
          password: "«secret»"
        ~~~
        stringData:
          DATABASE_PASSWORD: '«secret»'
        kind: Secret
    """),
    "helm_values": planted(tame)("""
        postgresql:
          auth:
            username: «user»
            password: «secret»
            database: «db»
        ~~~
        redis:
          auth: {enabled: true, password: "«secret»"}
        ~~~
        grafana:
          adminUser: admin
          adminPassword: «secret»
    """),
    "terraform_vars": planted(password)("""
        db_username = "«user»"
        db_password = "«secret»"
        ~~~
        region         = "«region»"
        admin_password = "«secret»"
        ~~~
        resource "aws_db_instance" "main" {
          username = "«user»"
          password = "«secret»"
        }
    """),
    "terraform_state": planted(password)("""
        {"mode": "managed", "type": "random_password", "name": "db",
         "instances": [{"attributes": {"length": 20, "result": "«secret»", "special": true}}]}
        ~~~
            "outputs": {
              "db_password": {
                "value": "«secret»",
                "type": "string",
                "sensitive": true
              }
            },
        ~~~
              "attributes": {"engine": "mysql", "password": "«secret»", "port": 3306}
    """),
    "ansible": planted(password)("""
        ansible_user: «user»
        ansible_become_pass: "«secret»"
        ~~~
        [web]
        «host» ansible_user=«user» ansible_ssh_pass='«secret»'
        ~~~
        vars:
          mysql_root_password: '«secret»'
        ~~~
        - community.mysql.mysql_user: {name: «user», password: "«secret»", priv: "*.*:ALL"}
    """),
    "pillar": planted(tame)("""
        «app»::database::password: '«secret»'
        ~~~
        mysql:
          user: «user»
          pass: «secret»
        ~~~
        default['«app»']['db']['password'] = '«secret»'
    """),
    "systemd_unit": planted(tame)("""
        [Service]
        Environment=DB_USER=«user» DB_PASS=«secret»
        ExecStart=/usr/bin/«app»
        ~~~
        Environment="REDIS_PASSWORD=«secret»"
        ~~~
        ExecStart=/opt/«app»/run --user «user» --password «secret»
    """),
    "cloud_init": planted(tame)("""
        #cloud-config
        chpasswd:
          list: |
            «user»:«secret»
          expire: false
        ~~~
        password: «secret»
        chpasswd: {expire: false}
        ssh_pwauth: true
        ~~~
        rootpw --plaintext «secret»
    """),
    "actions_env": planted(tame)("""
        jobs:
          test:
            env:
              PGPASSWORD: «secret»
        ~~~
        variables:
          DEPLOY_PASSWORD: "«secret»"
          DEPLOY_HOST: «host»
        ~~~
        environment { NEXUS_CREDS_PSW = '«secret»' }
    """),
    "jenkins_credentials": planted(in_xml(tame))("""
        <com.cloudbees.plugins.credentials.impl.UsernamePasswordCredentialsImpl>
          <id>«app»</id>
          <username>«user»</username>
          <password>«secret»</password>
        ~~~
        <secret>«secret»</secret><id>«app»-hook</id>
    """),
}
