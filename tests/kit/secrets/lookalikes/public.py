"""What is made to be public, or is of no use without a key that stands elsewhere."""

from __future__ import annotations

KINDS: dict[str, str] = {
    "ssh_public_key": """
        ssh-rsa «ssh_rsa» «user»@«host»
        ~~~
        ssh-ed25519 «ssh_ed25519» deploy@«host»
        ~~~
        github.com ssh-ed25519 «ssh_ed25519»
    """,
    "pem_public_key": """
        -----BEGIN PUBLIC KEY-----
        «rsa_public»
        -----END PUBLIC KEY-----
    """,
    "certificate": """
        -----BEGIN CERTIFICATE-----
        «certificate»
        -----END CERTIFICATE-----
        ~~~
        -----BEGIN CERTIFICATE REQUEST-----
        «certificate»
        -----END CERTIFICATE REQUEST-----
    """,
    "certificate_data": """
        clusters:
        - cluster:
            certificate-authority-data: «certificate_base64»
            server: https://«host»:6443
    """,
    "pgp_public": """
        -----BEGIN PGP PUBLIC KEY BLOCK-----

        «pgp»
        -----END PGP PUBLIC KEY BLOCK-----
        ~~~
        -----BEGIN PGP SIGNATURE-----

        «pgp»
        -----END PGP SIGNATURE-----
    """,
    "jwks": """
        {"keys": [{"kty": "RSA", "kid": "«hex16»", "use": "sig", "n": "«modulus»", "e": "AQAB"}]}
        ~~~
        {"kty": "EC", "crv": "P-256", "x": "«point»", "y": "«point2»", "use": "sig"}
    """,
    "fingerprints": """
        256 SHA256:«fingerprint» «user»@«host» (ED25519)
        ~~~
        The authenticity of host '«host»' can't be established.
        ED25519 key fingerprint is SHA256:«fingerprint».
        ~~~
        gpg: key «HEX16»: public key "«word»" imported
        ~~~
        sha1 Fingerprint=«colons»
    """,
    "wireguard_public": """
        [Peer]
        PublicKey = «sha256_base64»
        AllowedIPs = «ip»/32
        ~~~
        peer: «sha256_base64»
          endpoint: «ip»:51820
    """,
    "age_recipient": """
        creation_rules:
          - path_regex: secrets/.*
            age: age1«bech32»
        ~~~
        # public key: age1«bech32»
    """,
    "publishable_keys": """
        STRIPE_PUBLISHABLE_KEY=pk_live_«alnum24»
        ~~~
        NEXT_PUBLIC_CLERK_PUBLISHABLE_KEY=pk_test_«alnum24»
        ~~~
        <div class="g-recaptcha" data-sitekey="6L«alnum38»"></div>
        ~~~
        SENTRY_DSN=https://«hex32»@o«n».ingest.sentry.io/«n»
    """,
    "identifiers_of_keys": """
        client_id: «uuid»
        ~~~
        "private_key_id": "«hex40»",
        ~~~
        kid: «hex16»
        ~~~
        kms_key_id = "arn:aws:kms:«region»:«account»:key/«uuid»"
        ~~~
        keyVaultName: kv-«app»-«stage»
    """,
    "arns": """
        arn:aws:secretsmanager:«region»:«account»:secret:«app»/db-Ab12Cd
        ~~~
        role-to-assume: arn:aws:iam::«account»:role/«app»-deploy
        ~~~
        projects/«app»-«stage»/secrets/db-password/versions/latest
        ~~~
        /subscriptions/«uuid»/resourceGroups/«app»/providers/Microsoft.KeyVault/vaults/kv
    """,
    "resource_ids": """
        subnet_id = "subnet-0«hex16»"
        ~~~
        instance: i-0«hex16»
        ~~~
        id: ami-0«hex16»
        ~~~
        channel: C0«ID8»A
        ~~~
        "id": "chatcmpl-«alnum24»",
        ~~~
        tool_call_id: call_«alnum24»
        ~~~
        "id": "msg_01«alnum24»",
    """,
    "chain_addresses": """
        owner = 0x«hex40»
        ~~~
        tx: 0x«hex64»
        ~~~
        address: bc1q«bech32»
    """,
    "sealed": """
        password: ENC[AES256_GCM,data:«short_base64»,iv:«sha256_base64»,tag:«tag»,type:str]
        ~~~
        $ANSIBLE_VAULT;1.1;AES256
        «hex80»
        «hex80b»
        ~~~
        kind: SealedSecret
        spec:
          encryptedData:
            password: AgB«sealed»
    """,
    "passwd_file": """
        root:x:0:0:root:/root:/bin/bash
        «user»:x:1001:1001::/home/«user»:/usr/sbin/nologin
    """,
    "trace_headers": """
        traceparent: 00-«hex32»-«hex16»-01
        ~~~
        x-request-id: «uuid»
        ~~~
        x-amz-cf-id: «fingerprint»==
        ~~~
        x-amzn-trace-id: Root=1-«hex8»-«hex24»
    """,
    "pagination": """
        "next_page": "/v1/«app»?page=3&per_page=100"
        ~~~
        <https://api.«domain»/items?after=«n»&limit=50>; rel="next"
    """,
}
