"""Passwords and tokens in the files that package managers, git and containers log in with."""

from __future__ import annotations

from tests.kit.secrets.planted import Maker
from tests.kit.secrets.second.draws import (
    ALNUM,
    in_base64,
    in_xml,
    login,
    of,
    opaque,
    password,
    tame,
)
from tests.kit.secrets.second.shapes import planted

KINDS: dict[str, Maker] = {
    "npmrc": planted(opaque)("""
        registry=https://npm.«domain»/
        //npm.«domain»/:_authToken=«secret»
        ~~~
        //«host»:«port»/repository/npm/:_authToken="«secret»"
        always-auth=true
        ~~~
        npm config set //npm.«domain»/:_authToken «secret»
    """),
    "npmrc_basic": planted(in_base64(login))("""
        _auth=«secret»
        email=«email»
        ~~~
        //npm.«domain»/:_auth = «secret»
    """),
    "yarnrc": planted(opaque)("""
        npmScopes:
          «company»:
            npmRegistryServer: "https://npm.«domain»"
            npmAuthToken: "«secret»"
        ~~~
        npmAuthToken: «secret»
    """),
    "pypirc": planted(tame)("""
        [pypi]
        repository: https://pypi.«domain»/legacy/
        username: «user»
        password: «secret»
        ~~~
        [distutils]
        index-servers = internal
        [internal]
        username = «user»
        password = «secret»
    """),
    "pip_index": planted(tame)("""
        [global]
        index-url = https://«user»:«secret»@pypi.«domain»/simple
        ~~~
        --extra-index-url https://«user»:«secret»@pypi.«domain»/simple/
        ~~~
        pip install -i https://__token__:«secret»@«host»/pypi «app»
    """),
    "git_credentials": planted(tame)("""
        $ cat ~/.git-credentials
        https://«user»:«secret»@git.«domain»
        ~~~
        origin	https://«user»:«secret»@git.«domain»/«company»/«app».git (fetch)
        ~~~
        url = https://oauth2:«secret»@git.«domain»/«company»/«app»
    """),
    "git_extraheader": planted(in_base64(login))("""
        http.https://git.«domain»/.extraheader=AUTHORIZATION: basic «secret»
        ~~~
        git -c http.extraHeader="Authorization: Basic «secret»" clone https://git.«domain»/«app»
    """),
    "docker_config": planted(in_base64(login))("""
        {"auths": {"registry.«domain»": {"auth": "«secret»"}}}
        ~~~
        {
            "auths": {
                "https://index.docker.io/v1/": {
                    "auth": "«secret»"
                }
            },
            "credsStore": ""
        }
    """),
    "maven_settings": planted(in_xml(password))("""
        <server>
          <id>releases</id>
          <username>«user»</username>
          <password>«secret»</password>
        </server>
        ~~~
        <server><id>nexus</id><username>«user»</username><password>«secret»</password></server>
        ~~~
        <privateKey>~/.ssh/id_rsa</privateKey><passphrase>«secret»</passphrase>
    """),
    "gradle_properties": planted(tame)("""
        nexusUsername=«user»
        nexusPassword=«secret»
        ~~~
        RELEASE_STORE_PASSWORD=«secret»
        RELEASE_KEY_ALIAS=«app»
        ~~~
        signingConfigs { release { keyAlias '«app»'; keyPassword '«secret»' } }
        ~~~
        credentials { username = "«user»"; password = "«secret»" }
    """),
    "nuget_config": planted(in_xml(tame))("""
        <packageSourceCredentials><internal>
          <add key="Username" value="«user»" />
          <add key="ClearTextPassword" value="«secret»" />
        ~~~
        nuget sources add -Name internal -Source https://«host» -Username «user» -Password «secret»
    """),
    "cargo_credentials": planted(opaque)("""
        [registries.«company»]
        token = "«secret»"
        ~~~
        [registry]
        token = "Bearer «secret»"
    """),
    "composer_auth": planted(opaque)("""
        {"http-basic": {"repo.«domain»": {"username": "«user»", "password": "«secret»"}}}
        ~~~
        {"github-oauth": {"github.com": "«secret»"}}
        ~~~
        composer config --global http-basic.repo.«domain» «user» «secret»
    """),
    "bundler": planted(opaque)("""
        BUNDLE_GEMS__CONTRIBSYS__COM: "«user»:«secret»"
        ~~~
        bundle config set --global gems.«domain» «user»:«secret»
        ~~~
        source "https://«user»:«secret»@gems.«domain»/"
    """),
    "gh_hosts": planted(of("gho_", (ALNUM, 36)))("""
        github.com:
            user: «user»
            oauth_token: «secret»
            git_protocol: https
        ~~~
        github.com
          Logged in to github.com account «user»
          - Token: «secret»
    """),
}
