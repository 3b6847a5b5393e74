"""Sentences written shorter never say something else."""

import re

from hypothesis import given
from hypothesis import strategies as st

from loom.reduce.clauses import (
    CUT,
    LIMITED,
    LONG,
    begun,
    governs,
    reasonless,
    told,
)
from tests.kit.cases import all_cases

# Of each wording: clauses that are said, clauses in which a word governs what stands behind it, and
# reasons. The words that govern are in angle brackets.
WORDINGS = (
    (
        ("move the client to the new folder", "you see the server in the list", "look at host-7"),
        ("please <do not> restart it during office hours", "<under no circumstances> delete it all",
         "<never> push to the main branch", "<unless> the build is green", "<except> on Mondays and"
         " Fridays", "you <may> rename its helpers", "the limit <must> be 125", "<only> use tabs in"
         " it"),
        ("because customers import them", "since billing depends on it in production"),
        ", ",
    ),
    (
        ("verschiebe den Client in den neuen Ordner", "der Server steht in der Liste"),
        ("starte ihn <nicht> während der Arbeit", "lösche <auf keinen Fall> den alten Code",
         "<wenn> die Tests grün sind", "<außer> an Montagen und Freitagen",
         "die Grenze <muss> 125 sein"),
        ("weil Kunden sie importieren", "denn die Abrechnung braucht es"),
        ", ",
    ),
    (
        ("déplace le client dans le dossier", "le serveur est dans la liste"),
        ("<ne> redémarre <pas> le serveur", "<sauf> le lundi et le mardi", "tu <peux> le renommer",
         "<si> les tests passent tous"),
        ("car les clients importent cela", "parce que la facturation en dépend"),
        ", ",
    ),
    (
        ("mueve el cliente a la carpeta nueva", "el servidor está en la lista"),
        ("<nunca> borres el código viejo", "<salvo> los lunes y los martes", "<no> lo reinicies de"
         " día", "<si> las pruebas pasan todas"),
        ("porque los clientes lo importan", "ya que la facturación depende de esto"),
        ", ",
    ),
    (
        ("перенеси клиент в новую папку", "сервер стоит в списке"),
        ("<не> перезапускай его днём", "<никогда> не удаляй старый код", "<если> тесты проходят",
         "<кроме> понедельника и вторника"),
        ("потому что клиенты импортируют это", "так как биллинг зависит от этого"),
        ", ",
    ),
    (
        ("把客户端移到新文件夹", "服务器在列表里"),
        ("<不要>在上班时间重启它", "<绝对不>删除旧的重试代码", "<除非>测试全部通过",
         "<只能>用制表符缩进"),
        ("因为客户在用它们", "因為计费依赖它"),
        "，",
    ),
)  # fmt: skip


@st.composite
def sentences(draw: st.DrawFn) -> tuple[str, list[tuple[int, int]]]:
    """A sentence of clauses in one language, and where the clauses stand in which words govern."""
    plain, governed, reasons, joint = draw(st.sampled_from(WORDINGS))
    parts = draw(st.lists(st.sampled_from((*plain, *governed)), min_size=1, max_size=9))
    parts += draw(st.sampled_from(((), *((reason,) for reason in reasons))))
    text, places = "", []
    for part in parts:
        text += joint if text else ""
        bare = part.replace("<", "").replace(">", "")
        if bare != part:
            places.append((len(text), len(text) + len(bare)))
        text += bare
    return text + ".", places


@given(sentences(), st.integers(40, 300))
def test_no_word_is_parted_from_what_it_governs(
    made: tuple[str, list[tuple[int, int]]], limit: int
) -> None:
    """What stands is a prefix that parts no clause; one that more may limit says so."""
    sentence, places = made
    for shown in (reasonless(sentence), begun(sentence, limit), told(sentence, limit)):
        if shown in ("", LONG):
            continue
        prefix = shown.removesuffix(LIMITED).removesuffix(CUT)
        assert sentence.startswith(prefix)
        for start, end in places:
            assert len(prefix) <= start or len(prefix) >= end, shown
        if any(start >= len(prefix) for start, _ in places):
            assert shown.endswith(LIMITED)
        assert prefix == sentence or shown != prefix  # what is cut is marked


@given(sentences())
def test_a_reason_leaves_and_nothing_that_binds(made: tuple[str, list[tuple[int, int]]]) -> None:
    """Every clause in which a word governs stands in what is left of a sentence."""
    sentence, places = made
    short = reasonless(sentence)
    assert all(sentence[start:end] in short for start, end in places)
    assert short == sentence or short.endswith(CUT)


@given(st.text(max_size=600), st.integers(40, 200))
def test_any_text_is_begun_within_its_room(text: str, limit: int) -> None:
    """However odd it is, in at most so many characters, on one line."""
    made = begun(text, limit)
    assert len(made) <= limit and "\n" not in made
    assert told(text, limit) or not made


@all_cases(
    "sentence",
    [
        "Leave all files that changed, since 3.2, as they are.",
        "Report all that changed, since yesterday.",
        "Do not restart it, because nobody may.",
        "Delete everything, because it is old, in the folder tmp.",
        "Do not restart it because a test failed.",
        "Be careful, careful as never before.",
        "Because it is old, delete it.",
        "Rób, co chcesz, ale nie usuwaj starego kodu.",
        "",
    ],
)
def test_what_is_no_reason_at_the_end_stays(sentence: str) -> None:
    """A time, a reason with words that bind, one in the middle, one that may itself be denied."""
    assert reasonless(sentence) == sentence


def test_a_line_ends_where_a_sentence_does() -> None:
    """A later sentence limits none before it, so nothing has to be said of it."""
    text = "Mend the parser in the old folder first of all. Never touch the tests of it, whatever."
    assert begun(text, 70) == "Mend the parser in the old folder first of all. …"
    assert begun("Mend it.", 70) == "Mend it."
    assert begun("word " * 40, 40) == "word " * 7 + "…"
    assert begun("word " * 9_000, 60) == "word word word word" + LIMITED  # nobody looked at the end


def test_what_cannot_be_told_in_part_is_not_told() -> None:
    """A sentence without an end of a clause near enough, in which a word governs another."""
    text = "Please do not ever restart the server of the billing of the old shop " * 4
    assert begun(text, 80) == ""
    assert told(text, 80) == LONG
    assert told(text, 80, otherwise="") == ""
    assert told("", 80) == ""


WORDS = """
    not never unless except may must only if but nicht kein außer wenn jamais sauf si nunca salvo
    não exceto non tranne не кроме если 不 除非 ない 場合 않 경우
"""


@all_cases("word", WORDS.split())
def test_words_that_govern(word: str) -> None:
    """In the languages whose rules are known, beside words that do not."""
    assert governs(f"a {word} b")
    assert not governs("the file is large")
    assert re.search(r"\w", word)
