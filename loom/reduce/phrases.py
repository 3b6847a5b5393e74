"""The general language of rules and choices, as tables of phrases.

Each table is one alternation of words, without nested repeats: a search is linear in the text.
English first, then the commonest forms of German, French, Spanish, Portuguese, Italian, Russian,
Chinese, Japanese and Korean. Which text is in which language is not asked: the words of all are
looked for in each.
"""

from __future__ import annotations

import re

from loom.lazy import lazy_re


def _words(*words: str) -> str:
    """Alternatives that stand as whole words."""
    return r"\b(?:" + "|".join(words) + r")\b"


def _table(latin: str, cjk: tuple[str, ...] = ()) -> re.Pattern[str]:
    """One pattern over words of spaced scripts and phrases of unspaced ones."""
    return lazy_re("|".join((latin, *map(re.escape, cjk))), re.IGNORECASE)


RULE = _table(
    _words(
        # English
        "must(?:n['’]t)?", "never", "always", "do not", "don['’]?t", "cannot", "can['’]t", "only",
        "should(?:n['’]t)?", "shall", "prefer(?:ably|red)?", "make sure", "avoid", "ensure",
        "forbidden", "forbid", "prohibit(?:ed)?", "bann(?:ed|ing)", "(?:not |dis)allowed",
        "permitted", "required", "requirements?", "mandatory", "mandated?", "obligatory",
        "compulsory", "essential", "crucial", "(?:has|have|needs?) to (?:be|stay|remain)",
        "no (?:more|less|fewer|later|earlier|longer) than",
        "at (?:the )?(?:most|least|latest|earliest)", r"up to \d+", "maximum", "minimum",
        "under no circumstances", "on no account", "in no case", "in any case", "by no means",
        "refrain from", "(?:stay|keep|steer) (?:away|out|off|clear)", "hands off",
        "off[- ]limits", "out of bounds", "stick (?:to|with)", "remember (?:to|that)",
        "be (?:sure|careful)", "see to it", "nobody", "no one", "nothing (?:else|but)",
        "no (?:new|other|further)", "unless", "until", "when(?:ever)? you", "whatever you",
        "whenever", "and not", "but not", "i['’]?d rather", "would rather", "keep", "leave",
        "alone", "without", "even (?:where|when|if)", "except",
        "(?:is|are) (?:written|kept|named|called|spelled|formatted)", "stays?", "insist",
        "from (?:now|here) on", "henceforth", "in future", "going forward", "in doubt", "unsure",
        "before you", "me first", "ask (?:me )?before", "after all", "exclusively",
        "solely", "strictly", "as a rule", "every", "each",
        "in (?:your|all) (?:replies|answers|responses|messages)",
        "(?:i|we) (?:want|need|expect)", "(?:use|using|write|run) no",
        # German
        "immer", "niemals", "nie", "darf(?:st)?", "dürfen", "muss(?:t)?", "müssen",
        "soll(?:en|te|test|ten|st)?", "nur", r"(?:bitte|aber|und|auch) (?:nicht|kein\w*)",
        r"nicht \w+e[rl]?n", "nicht(?=[.!]*$)", "ohne", "höchstens", "mindestens", "maximal",
        "verboten", "erlaubt", "pflicht", "erforderlich", "vermeide(?:n)?", "stets",
        "ab (?:jetzt|sofort)", "acht(?:e|et|en) (?:darauf|sie)", "stell(?:e|en)? (?:sie )?sicher",
        "behalt(?:e|en|et)?", "bevorzug(?:e|en|t)", "lass(?:e|t|en)?", "bleib(?:t|en|e)?",
        "ausschließlich", "(?:auf )?keine[nsr]? (?:fall|falls|neuen?|weiteren?|anderen?)",
        "keinesfalls", "unbedingt", "außer", "solange", "jede[nrsm]?",
        # French
        "jamais", "toujours", r"(?<![\w,] )n(?:e|['’]\w+)", "doi(?:t|s|vent)", "devez",
        "(?:il )?faut", "seulement", "uniquement", "interdit(?:e|s|es)?", "évite[rz]?",
        "sans (?!serif)", "au (?:plus|moins|maximum|minimum)", "obligatoire(?:s|ment)?",
        "désormais", "dorénavant", "veille[rz]? à", "assure[rz]?(?:-(?:toi|vous))?", "garde[rz]?",
        "préfère", "préfére[rz]", "à partir de maintenant", "sauf", "tant que", "chaque",
        # Spanish
        "nunca", "jamás", "siempre",
        "no (?:se )?(?:deben?|puede[ns]?|toques?|uses?|usar|cambies?|borres?|hagas|modifiques?)",
        "debes?", "deben", "hay que", "tiene[ns]? que", "sólo", "solo", "solamente", "únicamente",
        "prohibid[oa]s?", "evitar?", "sin (?=[a-zñáéíóú])", "como (?:máximo|mínimo)",
        "obligatori[oa]s?", "a partir de (?:ahora|agora)", "desde ahora", "asegúr(?:ate|ese)",
        "mantén", "mantenga", "prefiere", "salvo", "hasta que", "cada",
        # Portuguese
        "sempre", r"(?<![\w,] )não", r"não (?:pode|deve|use|mude|toque|altere)\w*", "deve[ms]?",
        "só", "somente", "apenas", "proibid[oa]s?", "evitem?", "sem", "no (?:máximo|mínimo)",
        "obrigatóri[oa]s?", "tem que", "é preciso", "certifique-se", "mantenha", "prefira",
        "exceto", "até que",
        # Italian
        r"non \w+[aei]re", r"non \w+ mai", "mai più", "devi", "devono", "soltanto",
        "vietat[oaie]", "senza", "al (?:massimo|più|minimo)", "almeno",
        "d['’]ora in (?:poi|avanti)", "assicurati", "mantieni", "preferisci", "bisogna", "tranne",
        "finché", "ogni",
        # Russian
        "никогда", "всегда", "нельзя", r"не \w+(?:йте|ьте|ите|й|ь|и)",
        r"не (?:более|менее|больше|меньше|должн\w*)", "должн[оаы]", "должен", "обязательно",
        "обязан[ыао]?", "только", "запрещ[её]н[оыа]?", "запрещается", "избегай(?:те)?", "без",
        "максимум", "минимум", "отныне", "впредь", "убеди(?:сь|тесь)", "следует", "нужно", "надо",
        "кроме", "сохраняй(?:те)?", "оставь(?:те)?", "пока", "кажд(?:ый|ая|ое|ые|ого|ой|ую)",
    ),
    (
        # Chinese
        "必须", "必須", "不要", "禁止", "不得", "务必", "務必", "不能", "应该", "應該", "应当",
        "避免", "确保", "確保", "只能", "只用", "只使用", "请勿", "請勿", "切勿", "不可", "不许",
        "不准", "不允许", "永远不", "从不", "绝不", "绝对不", "别动", "别改", "别用", "别删",
        "别碰", "别再", "别把", "别忘", "总是", "始终", "一律", "仅限", "仅用", "仅使用", "仅在",
        "最多", "不超过", "至少", "从现在起", "从现在开始", "今后", "以后都", "保持", "保留",
        "优先", "除非", "改为", "每次", "每个", "每一",
        # Japanese
        "しないで", "ないでください", "してはいけない", "てはいけません", "てはならない",
        "ではいけない", "必ず", "べき", "なければならない", "なければなりません", "決して",
        "絶対に", "常に", "だけを", "のみ", "以外", "以内", "以下に", "まで触", "避けて", "今後",
        "これからは", "優先", "厳禁", "多くても", "最大でも", "少なくとも", "ままに", "維持",
        "毎回", "すべての",
        # Korean
        "하지 마", "지 마세요", "지 말", "반드시", "절대", "항상", "언제나", "해야", "금지",
        "만 사용", "오직", "이하로", "앞으로", "지금부터", "피하", "안 됩니다", "안 돼",
        "안 된다", "유지", "제외", "매번", "모든",
    ),
)  # fmt: skip

DECISION = _table(
    _words(
        "decided", "decision", "chose", "choosing", "chosen", "will use", "['’]ll use",
        "going with", "go with", "settled on", "settling on", "opted", "opt(?:ing)? for",
        "instead of", "rather than", "no longer", "switch(?:ed|ing)? (?:back )?to",
        "mov(?:ed|ing) (?:back )?to", "now uses?", "picked", "replac(?:es|ed|ing)",
        "revert(?:ed|ing)", "dropp(?:ed|ing)", "gave up on",
        "chang(?:ed|ing) (?:(?:my|our) mind|course|plans?|tack|direction)",
        "on second thoughts?", "in favou?r of", "back to", "ruled out", "turned out",
        "did(?:n['’]t| not) (?:work|hold|help|pay)", "over to", "entschieden", "decidido", "décidé",
    ),
    ("决定", "決定", "改用", "选择", "選択", "採用", "ことにした", "ことにします"),
)  # fmt: skip

# What makes a sentence mean less than it begins with, or the opposite: beside RULE. Any text with
# one of these is not cut before it unless it is said.
CONDITION = _table(
    _words(
        # English
        "not", r"\w{2,9}n['’]?t", "no", "none", "nor", "neither", "may", "might", "can", "could",
        "would", "need(?:s|ed)?", "if", "but", "though", "although", "however", "whereas", "yet",
        "exclud(?:e|es|ed|ing)", "exceptions?", "other than", "apart from", "save for", "till",
        "when", "while", "where", "as (?:long|soon|far) as", "provid(?:ed|ing)", "assuming",
        "in case", "otherwise", "instead", "rather", "once", "before", "after", "just", "nothing",
        "subject to", "ought", "hardly", "barely", "allow(?:ed|s)?", "ok(?:ay)?", "stop", "halt",
        "wait", "first", "then", "or",
        # German
        "nicht", r"kein\w*", "aber", "wenn", "falls", "sofern", "sondern", "es sei denn", "doch",
        "jedoch", "kann(?:st)?", "können", "bis", "bevor", "nachdem", "sobald", "weder", "niemand",
        "nichts", "oder", "allerdings", "obwohl", "mit ausnahme",
        # French
        "pas", "ne", r"n['’]\w+", "non", "ni", "mais", "si", r"aucun\w*", "rien", "personne",
        "peu(?:t|x|vent|vez)", "à moins", "quand", "lorsque", "avant", "après", "pourvu", "sinon",
        "plus", "ou", "cependant", "toutefois",
        # Spanish, Portuguese, Italian
        "pero", "sino", "excepto", "cuando", r"puede\w*", r"pued[oa]\w*", "nada", r"ning[uú]n\w*",
        "menos", "antes", "después", "aunque", "mientras", "não", "nem", "se", "mas", "quando",
        r"pode\w*", r"nenhum\w*", "depois", "embora", "enquanto", "né", "ma", "però", "eccetto",
        "può", "possono", "puoi", "niente", r"nessun\w*", "prima", "dopo", "purché", "o",
        # Russian
        "не", "ни", "нет", "если", "но", "однако", "когда", "можно", "может", "могут", "до",
        "после", "или", "хотя", "лишь",
    ),
    (
        *"不没沒无無非勿莫别但若除只仅僅可能必須须当當时時前后後或",
        "如果", "ない", "ません", "なら", "れば", "たら", "けど", "しかし", "ただし", "場合",
        "だけ", "しか", "禁", "않", "말", "못", "없", "안 ", "면 ", "지만", "단,", "만 ", "경우",
        "때",
    ),
)  # fmt: skip

# Where a reason begins that is behind its clause, and parted from it: the reason is group 1. Words
# that may begin something else as well ("as", "da", "damit") are not among them.
REASON = lazy_re(
    r"(?:[,;]\s+|\s[—–-]\s+|[，；、]\s*)((?:because|since (?!\S*\d|then|last|yesterday|version)"
    r"(?=\S+(?: \S+){2})|weil|denn|parce qu(?:e |['’])|car|puisqu(?:e |['’])|porque|ya que"
    r"|puesto que|já que|perché|poiché|dato che|потому что|так как|поскольку)\b\s*\S"
    r"|因为|因為)",
    re.IGNORECASE,
)

QUESTION = lazy_re(r"[?？؟፧]\W{0,3}$")

SENTENCE_END = lazy_re(r"(?<=[.!?؟۔।॥።፧])[ \t]+|(?<=[。！？；])")
BULLET = lazy_re(r"(?:[-*•+]|\d{1,3}[.)])[ \t]+")
