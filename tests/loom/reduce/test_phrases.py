from loom.reduce.phrases import DECISION, RULE, asks, talks
from tests.kit.cases import all_cases


@all_cases("text", ["", "The file is large.", "mustard is yellow", "lonely commonly", "3 apples"])
def test_plain_sentences_are_none_of_them(text: str) -> None:
    """Statements without force or choice match no table."""
    assert not any(table.search(text) for table in (RULE, DECISION))


@all_cases(
    "text",
    [
        "You must use tabs",
        "NEVER push to main",
        "Don't touch it",
        "don’t touch it",
        "please make sure it builds",
        "only Python 3.11",
        "必须使用中文",
        "不要修改测试",
        "ファイルを変更しないでください",
        "Niemals löschen",
    ],
)
def test_rules(text: str) -> None:
    """Modal and prohibitive force is recognised in several languages."""
    assert RULE.search(text)


@all_cases(
    "text",
    [
        "I decided to keep it",
        "We'll use a table instead of a chain",
        "Going with SQLite",
        "I no longer use the cache",
        "改用缓存",
    ],
)
def test_decisions(text: str) -> None:
    """Choices are recognised."""
    assert DECISION.search(text)


@all_cases(
    "text",
    [
        "Hands off the vendor folder",
        "Stick to Python 3.11",
        "Up to 4 workers, the machine is shared",
        "On no account publish the draft",
        "From here on, dates have the day first",
        "Ändere die Fixtures nicht.",
        "Verwende maximal vier Worker",
        "Bitte keine neuen Abhängigkeiten",
        "N'utilise pas Redis",
        "- Ne touche pas aux tests",
        "Les montants doivent être en euros",
        "Las fechas van siempre con el día primero",
        "No toques la carpeta legal",
        "Não use Redis aqui",
        "Non usare tabulazioni",
        "Не трогай миграции",
        "Пиши только по-русски",
        "请用中文回答，别改配置",
        "最多四个进程",
        "今後はタブを使う",
        "테스트를 수정하지 마세요",
        "앞으로 탭을 사용",
        "End every reply with a summary",
        "Jede Antwort endet mit einer Frage",
        "每次都先运行测试",
    ],
)
def test_what_binds_in_many_tongues(text: str) -> None:
    """What is forbidden, demanded, limited or to be kept up is known by its common words."""
    assert RULE.search(text)


@all_cases(
    "text",
    [
        "Il marche bien",
        "Die Tests sind rot",
        "x = sin(y) in a sans-serif font",
        "a non-empty list that is up to date",
        "特别好看",
        "The index has to load the map",
    ],
)
def test_what_only_looks_like_a_rule(text: str) -> None:
    """Words that bind in one language are none in another, nor parts of other words."""
    assert not RULE.search(text)


@all_cases(
    "text",
    ["Thanks, that helps a lot.", "OK", "Great, thanks!", "Go on whenever you like.", "谢谢",
     "嗯。", "Vielen Dank!", "Merci, bon travail."],
)  # fmt: skip
def test_small_talk(text: str) -> None:
    """Thanks, nods and leave to go on lay nothing down."""
    assert talks(text)


@all_cases(
    "text",
    ["", "OK, use tabs.", "Thanks, but never push.", "Right-click the header", "Go on with v2.1",
     "Continue with the parser.", "Use tabs."],
)  # fmt: skip
def test_what_asks_for_something_is_no_small_talk(text: str) -> None:
    """A sentence that begins with a nod and then asks for something counts."""
    assert not talks(text)


@all_cases(
    "text",
    ["Use tabs.", "- write it in C", "2. Run the tests", "And please answer in German.",
     "Antworte auf Deutsch", "Utilisez des tabulations", "Escribe en español", "Пишите по-русски",
     "请用中文回答", "タブを使ってください。"],
)  # fmt: skip
def test_what_asks_for_something(text: str) -> None:
    """Sentences that begin with a verb of asking, in several languages."""
    assert asks(text)


@all_cases("text", ["", "The user wrote tests.", "Usage is high.", "Settings differ"])
def test_what_tells_asks_for_nothing(text: str) -> None:
    """A statement asks for nothing, whatever words stand in it."""
    assert not asks(text)


@all_cases("unit", ["ok ", "thanks ", "not ", "a", "ne ", "n'aaa", "non aaa ", "不"])
def test_tables_take_one_pass(unit: str) -> None:
    """A long text of half a phrase again and again is looked through once."""
    text = unit * (30_000 // len(unit))
    for found in (RULE.search(text), DECISION.search(text)):
        assert found is None or found.end() <= len(text)
    asks(text)
    talks(text)
