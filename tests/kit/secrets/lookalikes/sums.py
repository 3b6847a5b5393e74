"""Digests, identifiers and encoded data: random to the eye, and access to nothing."""

from __future__ import annotations

KINDS: dict[str, str] = {
    "git_commits": """
        commit «hex40»
        Author: «word» <«email»>
        ~~~
        «hex7» (HEAD -> main) rename the token field
        ~~~
        index «hex7»..«hex7b» 100644
        ~~~
        uses: actions/checkout@«hex40» # v4.2.2
        ~~~
        rev: «hex40»
        ~~~
        160000 commit «hex40»	vendor/«word»
    """,
    "npm_lock": """
        "resolved": "https://registry.npmjs.org/js-tokens/-/js-tokens-4.0.0.tgz",
        "integrity": "sha512-«sha512_base64»",
        ~~~
          resolution: {integrity: sha512-«sha512_base64»}
        ~~~
          integrity sha1-«sha1_base64»
        ~~~
          checksum: 10c0/«hex128»
    """,
    "pip_hashes": """
        requests==2.32.3 \\
            --hash=sha256:«hex64» \\
            --hash=sha256:«hex64b»
        ~~~
        { url = "https://files.pythonhosted.org/packages/a.whl", hash = "sha256:«hex64»" },
    """,
    "other_locks": """
        github.com/golang-jwt/jwt/v5 v5.2.1 h1:«sha256_base64»
        ~~~
        golang.org/x/crypto v0.31.0/go.mod h1:«sha256_base64»
        ~~~
        name = "secrecy"
        checksum = "«hex64»"
        ~~~
        "content-hash": "«hex32»",
        ~~~
          sha256 = "sha256-«sha256_base64»";
        ~~~
        CHECKSUM: «hex40»
    """,
    "image_digests": """
        image: ghcr.io/«company»/«app»@sha256:«hex64»
        ~~~
        FROM python:3.12-slim@sha256:«hex64»
        ~~~
        «app»   latest   «hex12»   3 days ago   1.2GB
        ~~~
        "Id": "sha256:«hex64»",
        ~~~
        Digest: sha256:«hex64»
    """,
    "checksum_files": """
        «hex64»  «app»-1.4.2-linux-amd64.tar.gz
        ~~~
        MD5 (dump.sql) = «hex32»
        ~~~
        sha256: «hex64»
        ~~~
        «hex128»  ./dist/«app».whl
    """,
    "etags": """
        ETag: "«hex32»"
        ~~~
        etag: W/"«hex40»"
        ~~~
        "ETag": "\\"«hex32»-4\\"",
        ~~~
        If-None-Match: "«hex32»"
    """,
    "uuids": """
        id: «uuid»
        ~~~
        deploymentId = "«uuid»"
        ~~~
        <ProjectGuid>{«uuid»}</ProjectGuid>
        ~~~
        INSERT INTO orders (id, total) VALUES ('«uuid»', 42.50);
        ~~~
        UUID=«uuid» / ext4 defaults 0 1
    """,
    "data_uris": """
        <img src="data:image/png;base64,«png»" alt="logo">
        ~~~
        url(data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7)
        ~~~
        src: url(data:font/woff2;base64,«woff») format("woff2");
    """,
    "notebook_image": """
        "outputs": [{"data": {"image/png": "«png»"}, "output_type": "display_data"}]
    """,
    "source_maps": """
        {"version":3,"sources":["a.ts"],"names":[],"mappings":"AAAA,SAAS,KAAK,CAAC,IAAY;IACvB,OAAO,IAAI"}
        ~~~
        //# sourceMappingURL=main.«hex16».js.map
    """,
    "hashed_assets": """
        /static/js/main.«id8».chunk.js
        ~~~
        dist/assets/index-«alnum8».css   214.31 kB │ gzip: 31.02 kB
        ~~~
        <script src="/a.js" integrity="sha384-«sha384_base64»" crossorigin="anonymous"></script>
    """,
    "csp": """
        script-src 'self' 'sha256-«sha256_base64»';
    """,
    "build_ids": """
        BuildID[sha1]=«hex40», stripped
        ~~~
        cache key: node-modules-«hex64»
        ~~~
        terraform plan id: run-«alnum16»
        ~~~
        Serial Number: «hex32»
        ~~~
        ELF build «hex16» loaded at 0x«hex12»
    """,
    "numbers": """
        3.14159265358979323846264338327950288419716939937510
        ~~~
        seed = 1234567890123456789
        ~~~
        timestamps: [1767225600000, 1767225660000, 1767225720000]
        ~~~
        4111 rows in 0.53 s, 12,845,117 bytes
    """,
    "encoded_text": """
        aGVsbG8gd29ybGQK
        ~~~
        data:
          config.yaml: bG9nX2xldmVsOiBpbmZvCnBvcnQ6IDgwODAK
        ~~~
        Subject: =?UTF-8?B?UmVjaG51bmcgZsO8ciBNw6Ryeg==?=
    """,
    "hex_dumps": """
        00000010: 4865 6c6c 6f2c 2077 6f72 6c64 210a 0000  Hello, world!...
        ~~~
        const MAGIC: [u8; 8] = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a];
        ~~~
        RGB: #«hex6» #«hex6b»
    """,
    "versions": """
        user-agent: Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/131.0.0.0
        ~~~
        pseudo-version v0.0.0-20260302101500-«hex12»
        ~~~
        password-validator==2.4.1
        ~~~
        secret-service 4.0.0 -> 5.0.0
    """,
}
