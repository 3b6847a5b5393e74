"""Where the tokens of services stand: in settings, shells, code, logs and chats.

A token with a prefix of its own may stand bare. One without is told by the name beside it alone, so
it stands in NAMED only.
"""

from __future__ import annotations

from random import Random

from tests.kit.secrets.planted import Maker, Planted
from tests.kit.secrets.second.draws import Value, value_of
from tests.kit.secrets.second.shapes import fill, shapes_of, spelt

NAMED = shapes_of("""
export «ENV»=«secret»
~~~
«ENV»="«secret»"
~~~
# «app», «stage»
LOG_LEVEL=info
«ENV»=«secret»
PORT=«port»
~~~
«snake»: «secret»
~~~
  «app»:
    region: «region»
    «camel»: "«secret»"
~~~
{"«camel»": "«secret»", "timeout": 30}
~~~
  "«snake»" : "«secret»",
~~~
const «camel» = '«secret»';
~~~
    «ENV» = "«secret»"  # TODO move to the vault
~~~
        env:
        - name: «ENV»
          value: «secret»
~~~
ENV «ENV» «secret»
~~~
$env:«ENV» = '«secret»'
~~~
set «ENV»=«secret»
~~~
set -gx «ENV» «secret»
~~~
-«ENV»=
+«ENV»=«secret»
~~~
src/«app»/settings.py:«n»:    «snake»="«secret»",
~~~
  «n»→«ENV»=«secret»
~~~
     «n»	«camel»: '«secret»',
~~~
heroku config:set «ENV»=«secret» --app «app»-«stage»
~~~
gh secret set «ENV» --body "«secret»"
~~~
docker run --rm -e «ENV»=«secret» -p «port»:80 «company»/«app»:1.4
~~~
| `«ENV»` | `«secret»` | «stage» |
~~~
<add key="«Pascal»" value="«secret»" />
~~~
private static final String «ENV» = "«secret»";
~~~
«dotted»=«secret»
~~~
variable "«snake»" {
  type    = string
  default = "«secret»"
}
~~~
level=debug time=«time» msg="loaded settings" «snake»=«secret» region=«region»
~~~
2026-03-02T«time»Z DEBUG request body: {\\"«snake»\\":\\"«secret»\\",\\"retry\\":false}
~~~
./bin/«app» sync --«kebab»=«secret» --since 2d
~~~
./bin/«app» sync --«kebab» '«secret»'
~~~
define('«ENV»', '«secret»');
~~~
  '«snake»' => '«secret»',
~~~
	«Pascal»: "«secret»",
~~~
our «words» for «stage»: «secret»
~~~
the «words» is `«secret»`, it has write access
""")

BARE = shapes_of("""
here is the one for «stage», please don't commit it: «secret»
~~~
«secret»
~~~
curl -s -H "Authorization: Bearer «secret»" https://api.«domain»/v1/«app»
~~~
curl https://api.«domain»/v2/«app» -H 'X-Api-Key: «secret»'
~~~
> Authorization: Bearer «secret»
> Accept: */*
~~~
«time» WARN  auth failed for token «secret» (401), retrying
~~~
client = Client("«secret»", timeout=20)
~~~
$ cat ~/.config/«app»/token
«secret»
~~~
DEBUG urllib3: headers={'Authorization': 'Bearer «secret»', 'Accept': 'application/json'}
~~~
Error: request to https://api.«domain»/v1/me?access=«secret» failed with 403
~~~
["«id8»", "«secret»", 3600]
""")


def _framed(value: Value | str, names: tuple[str, ...], frames: tuple[str, ...]) -> Maker:
    """A maker of a value under one of its names, in one of the frames."""

    def made(chance: Random) -> Planted:
        secret = value_of(value)(chance)
        slots = {**spelt(chance, chance.choice(names)), "secret": secret}
        return Planted(fill(chance.choice(frames), chance, slots), secret)

    return made


def named(value: Value | str, *names: str) -> Maker:
    """A maker of a token that only the name beside it tells."""
    return _framed(value, names, NAMED)


def prefixed(value: Value | str, *names: str) -> Maker:
    """A maker of a token that begins as no other does: with a name beside it, or bare."""
    return _framed(value, names, NAMED + BARE)
