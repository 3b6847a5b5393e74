"""The words of the half that is held out, in other languages."""

from __future__ import annotations

from loom_bench.scenarios.planting.tongues import PlantedTongue

HELD_OUT_TONGUES = {
    "chinese": PlantedTongue(
        subjects=("打印队列", "客服热线"),
        values=("欧阳晓岚", "司马长风", "诸葛明玥"),
        sayings=("{subject}由{value}负责。", "有关{subject}，找{value}。"),
        questions=("谁负责{subject}？", "有关{subject}该找谁？"),
        tasks=("把{subject}交接一下。",),
        around=("缓存命中率为百分之{n}。", "本周收到{n}封邮件。", "版面调整完毕，编号{n}。"),
        rules=("每次提交前必须通知客户。",),
    ),
    "japanese": PlantedTongue(
        subjects=("配送センター", "勤怠アプリ"),
        values=("五十嵐みのり", "早乙女たくみ", "小鳥遊あおい"),
        sayings=("{subject}の担当者:{value}さん。", "{subject}については{value}さんへ連絡。"),
        questions=("{subject}の担当者は誰?", "{subject}については誰へ連絡?"),
        tasks=("{subject}へ連絡を入れて。",),
        around=("気温は{n}度。", "印刷を{n}枚追加。", "返信待ちが{n}通ある。"),
        rules=("本番環境では絶対に試験しない。",),
    ),
    "korean": PlantedTongue(
        subjects=("배송 일정표", "상담 게시판"),
        values=("남궁민하", "선우다온", "황보예린"),
        sayings=("{subject} 담당: {value} 님.", "{subject} 문의는 {value} 님께."),
        questions=("{subject} 담당자가 누구죠?", "{subject} 문의는 누구에게 하죠?"),
        tasks=("{subject} 쪽에 연락해 줘요.",),
        around=("온도 {n}도 유지 중.", "메일 {n}통 도착함.", "인쇄 {n}장 추가."),
        rules=("고객 전화번호를 기록하면 안 돼요.",),
    ),
    "arabic": PlantedTongue(
        subjects=("مكتب الشحن", "سجل الزوار"),
        values=("سليم الحداد", "ريم القاسمي", "طارق البستاني"),
        sayings=("المسؤول عن {subject}: {value}.", "يتولى {value} أمر {subject}."),
        questions=("من المسؤول عن {subject}؟", "من يتولى أمر {subject}؟"),
        tasks=("راسل المسؤول عن {subject}.",),
        around=("درجة الحرارة {n} مئوية.", "طُبعت {n} ورقة."),
        rules=("يجب إبلاغ المدير قبل كل تغيير.",),
    ),
    "russian": PlantedTongue(
        subjects=("Билетная касса", "Сервис отзывов"),
        values=("Глафира Соколова", "Тихон Журавлёв", "Ульяна Морозова"),
        sayings=(
            "{subject}: спрашивать надо, контакт — {value}.",
            "Отвечает за всё ({subject}) {value}.",
        ),
        questions=("{subject}: кто отвечает?", "{subject}: кого надо спрашивать?"),
        tasks=("{subject}: позвоните ответственному.",),
        around=("Температура держится около {n} градусов.", "Напечатано {n} листов."),
        rules=("Перед публикацией обязательно согласуйте текст.",),
    ),
    "german": PlantedTongue(
        subjects=("Schlüsselverwaltung", "Raumplanung"),
        values=("Jörg Weißenböck", "Bärbel Großkreutz", "Götz Übelhör"),
        sayings=("Zuständig bei der {subject}: {value}.", "{value} betreut unsere {subject}."),
        questions=("Wer betreut unsere {subject}?", "Wer ist bei der {subject} zuständig?"),
        tasks=("Schick eine Nachricht wegen der {subject}.",),
        around=("Drucker meldet {n} Seiten.", "Ventil {n} wurde geprüft."),
        rules=("Jede Änderung muss vorher protokolliert werden.",),
    ),
    "turkish": PlantedTongue(
        subjects=("Randevu ekranı", "Kargo takibi"),
        values=("Işıl Değirmenci", "İlknur Yağmurlu", "Çağrı Gümüşsoy"),
        sayings=("{subject} sorumlusu: {value}.", "{subject} konusunda {value} yetkilidir."),
        questions=("{subject} konusunda kim yetkilidir?", "{subject} sorumlusu kim?"),
        tasks=("{subject} hakkında not yolla.",),
        around=("Sıcaklık {n} dereceye düştü.", "Yazıcıdan {n} sayfa çıktı."),
        rules=("Yayından önce mutlaka onay iste.",),
    ),
    "emoji": PlantedTongue(
        subjects=("🚂 lane", "🎡 lane"),
        values=("🐢🪵🎷", "🦩🧂🪃", "🐝🗿🎺"),
        sayings=("{value} marks the {subject} 📌", "📣 {subject} ➜ {value}"),
        questions=("What emoji mark the {subject}?",),
        tasks=("Decorate the {subject} 🎉",),
        around=("🚦 {n} wagons 🟢", "🎫 {n} riders aboard", "🛤️ rail {n}"),
        rules=("Always add 🧯 when removing.",),
    ),
    "mixed": PlantedTongue(
        subjects=("Лифт-ボード", "Aufzug-设备"),
        values=("Søren 林", "Zoë Ким", "Ángel 박"),
        sayings=("{subject}: contact wäre {value} だよ", "Frag {value} wegen {subject}, 谢谢"),
        questions=("{subject}: contact は who?", "Wen fragen wegen {subject}?"),
        tasks=("{subject} kontrollieren, 急ぎで",),
        around=("Sensor {n} läuft, よし.", "Датчик {n}: çalışıyor 🆗"),
        rules=("Sämtliche logs auf 日本語 halten.",),
    ),
}
