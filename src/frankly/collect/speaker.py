"""Speaker: pages that the server itself writes, in the reader's language and without any script."""

from collections.abc import Sequence
from html import escape

from frankly.collect.refusal import Refusal
from frankly.design import Text

__all__ = ["Speaker", "refused_page"]

SIDES = {"die": 6, "coin": 2, "birthday": 12}

WORDS: dict[str, dict[str, str]] = {
    "en": {
        "quoted": "“{0}”",
        "yes": "Yes",
        "no": "No",
        "lead": "You decide by chance yourself. This form only takes the result.",
        "die": "Take a die.",
        "coin": "Take a coin.",
        "birthday": "Think of someone whose birthday nobody here knows, each time someone else.",
        "truth": "give your true answers below",
        "die_again": "throw again for each question below, and give what that says",
        "coin_again": "toss again for each question below, and give what that says",
        "birthday_again": "think of another person for each question below, and give what "
        "that says",
        "die_on": "Throw {0}|Throw {0} to {1}",
        "birthday_on": "Born in month {0}|Born in months {0} to {1}",
        "coin_on": "Heads|Tails",
        "clear": "These are sent as you answer them.",
        "code": "Your code, from the invitation",
        "send": "Send",
        "final": "Once sent, an answer cannot be taken back.",
        "stored": "Thank you. This is exactly what was sent",
        "problem": "There is a problem",
        "answer": "Choose an answer to this question",
        "invitation": "This code is not known|Compare it with your invitation, letter by letter.",
        "used": "This code was used before|The first answer stays. Nothing was added.",
        "design": "This survey has changed since you opened it|Nothing was stored. Below is the "
        "new form: read what to do, and answer once more.",
        "closed": "This survey is closed|It takes no more answers. Thank you for coming.",
        "missing": "There is nothing at this address|Open the link exactly as you received it, to "
        "the last letter.",
        "script": "This survey needs JavaScript|A small script protects your answers on your own "
        "device, before anything is sent. Turn JavaScript on, or take another browser, and open "
        "your link again.",
        "busy": "This did not work just now|Wait a moment, then try again. What is sent twice "
        "counts once.",
        "refused": "This could not be sent|Open the link exactly as you received it, and try "
        "again.",
    },
    "de": {
        "quoted": "„{0}“",
        "yes": "Ja",
        "no": "Nein",
        "lead": "Sie entscheiden selbst durch Zufall. Dieses Formular nimmt nur das Ergebnis.",
        "die": "Nehmen Sie einen Würfel.",
        "coin": "Nehmen Sie eine Münze.",
        "birthday": "Denken Sie an jemanden, dessen Geburtstag hier niemand kennt, jedes Mal an "
        "jemand anderen.",
        "truth": "Geben Sie unten Ihre wahren Antworten",
        "die_again": "Würfeln Sie für jede Frage unten neu und geben Sie an, was dabei herauskommt",
        "coin_again": "Werfen Sie die Münze für jede Frage unten neu und geben Sie an, was dabei "
        "herauskommt",
        "birthday_again": "Denken Sie für jede Frage unten an einen anderen Menschen und geben Sie "
        "an, was dabei herauskommt",
        "die_on": "Wurf {0}|Wurf {0} bis {1}",
        "birthday_on": "Geboren im Monat {0}|Geboren in den Monaten {0} bis {1}",
        "coin_on": "Kopf|Zahl",
        "clear": "Diese werden gesendet, wie Sie antworten.",
        "code": "Ihr Code, aus der Einladung",
        "send": "Senden",
        "final": "Einmal gesendet, lässt sich eine Antwort nicht zurücknehmen.",
        "stored": "Danke. Genau dies wurde gesendet",
        "problem": "Es gibt ein Problem",
        "answer": "Wählen Sie eine Antwort auf diese Frage",
        "invitation": "Dieser Code ist nicht bekannt|Vergleichen Sie ihn mit Ihrer Einladung, "
        "Zeichen für Zeichen.",
        "used": "Dieser Code wurde schon verwendet|Die erste Antwort bleibt. Nichts wurde "
        "hinzugefügt.",
        "design": "Diese Umfrage hat sich geändert, seit Sie sie geöffnet haben|Nichts wurde "
        "gespeichert. Unten steht das neue Formular: Lesen Sie, was zu tun ist, und antworten Sie "
        "noch einmal.",
        "closed": "Diese Umfrage ist beendet|Sie nimmt keine Antworten mehr an. Danke für Ihr "
        "Kommen.",
        "missing": "Unter dieser Adresse ist nichts|Öffnen Sie den Link genau so, wie Sie ihn "
        "erhalten haben, bis zum letzten Zeichen.",
        "script": "Diese Umfrage braucht JavaScript|Ein kleines Skript schützt Ihre Antworten auf "
        "Ihrem eigenen Gerät, bevor etwas gesendet wird. Schalten Sie JavaScript ein oder nehmen "
        "Sie einen anderen Browser, und öffnen Sie Ihren Link noch einmal.",
        "busy": "Das ging gerade nicht|Warten Sie einen Moment und versuchen Sie es dann noch "
        "einmal. Was zweimal gesendet wird, zählt einmal.",
        "refused": "Das konnte nicht gesendet werden|Öffnen Sie den Link genau so, wie Sie ihn "
        "erhalten haben, und versuchen Sie es noch einmal.",
    },
    "ar": {
        "quoted": "«{0}»",
        "yes": "نعم",
        "no": "لا",
        "lead": "أنت تقرر بالحظ بنفسك. هذه الاستمارة تأخذ النتيجة فقط.",
        "die": "خذ نردًا.",
        "coin": "خذ قطعة نقود.",
        "birthday": "فكّر في شخص لا يعرف أحد هنا عيد ميلاده، وفي كل مرة شخص آخر.",
        "truth": "أعطِ أجوبتك الحقيقية أدناه",
        "die_again": "ارمِ النرد من جديد لكل سؤال أدناه، وأعطِ ما يخرج لك",
        "coin_again": "ارمِ القطعة من جديد لكل سؤال أدناه، وأعطِ ما يخرج لك",
        "birthday_again": "فكّر لكل سؤال أدناه في شخص آخر، وأعطِ ما يخرج لك",
        "die_on": "الرمية {0}|الرمية من {0} إلى {1}",
        "birthday_on": "مولود في الشهر {0}|مولود في الأشهر من {0} إلى {1}",
        "coin_on": "صورة|كتابة",
        "clear": "تُرسَل هذه كما تجيب عنها.",
        "code": "رمزك من الدعوة",
        "send": "إرسال",
        "final": "بعد الإرسال لا يمكن سحب الجواب.",
        "stored": "شكرًا. هذا بالضبط ما أُرسل",
        "problem": "هناك مشكلة",
        "answer": "اختر جوابًا عن هذا السؤال",
        "invitation": "هذا الرمز غير معروف|قارنه بدعوتك حرفًا حرفًا.",
        "used": "استُخدم هذا الرمز من قبل|يبقى الجواب الأول. لم يُضَف شيء.",
        "design": "تغيّر هذا الاستبيان منذ أن فتحته|لم يُحفَظ شيء. في الأسفل الاستمارة الجديدة: اقرأ "
        "ما عليك فعله، ثم أجب مرة أخرى.",
        "closed": "أُغلق هذا الاستبيان|لا يقبل أجوبة أخرى. شكرًا لحضورك.",
        "missing": "لا يوجد شيء في هذا العنوان|افتح الرابط كما وصلك تمامًا حتى آخر حرف.",
        "script": "هذا الاستبيان يحتاج إلى جافاسكربت|برنامج صغير يحمي أجوبتك على جهازك قبل إرسال "
        "أي شيء. شغّل جافاسكربت أو استخدم متصفحًا آخر، ثم افتح رابطك من جديد.",
        "busy": "تعذّر ذلك الآن|انتظر لحظة ثم حاول مرة أخرى. ما يُرسَل مرتين يُحسب مرة واحدة.",
        "refused": "تعذّر الإرسال|افتح الرابط كما وصلك تمامًا، ثم حاول مرة أخرى.",
    },
}

SHELL = """<!doctype html>
<html lang="{lang}" dir="{dir}"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1"><title>{title}</title>
<link rel="icon" href="/web/icon.svg"><link rel="stylesheet" href="/web/tokens.css">
<link rel="stylesheet" href="/web/page.css"></head>
<body><main>{above}<h1>{title}</h1>{body}</main></body></html>"""


class Speaker:
    """Our words, in the first wished language that is offered.

    Parameters
    ----------
    wished
        What the browser sends as ``Accept-Language``; it names its best first.
    offered
        The languages of the survey; all of ours where there is none.

    Examples
    --------
    >>> Speaker("de-AT,de;q=0.9,en;q=0.8").words["send"]
    'Senden'
    >>> Speaker("fr", ["ar", "en"]).lang
    'ar'
    """

    def __init__(self, wished: str, offered: Sequence[str] = ()) -> None:
        spoken = [one for one in offered if one in WORDS] or list(WORDS)
        wishes = [one.split(";")[0].split("-")[0].strip().lower() for one in wished.split(",")]
        self.lang = next((one for one in wishes if one in spoken), spoken[0])
        self.words = WORDS[self.lang]

    def text(self, text: Text) -> str:
        """Give a text of the survey, safe to put into a page."""
        if isinstance(text, str):
            return escape(text)
        return escape(text.get(self.lang) or next(iter(text.values()), ""))

    def page(self, title: str, body: str, above: str = "") -> bytes:
        """Put a page together."""
        way = "rtl" if self.lang == "ar" else "ltr"
        return SHELL.format(lang=self.lang, dir=way, title=title, body=body, above=above).encode()

    def runs(self, own: str, weights: Sequence[int]) -> list[str]:
        """Share the sides out by weights, in words."""
        if own == "coin":
            return self.words["coin_on"].split("|")
        one, several = self.words[f"{own}_on"].split("|")
        start, found = 1, []
        for weight in weights:
            end = start + weight * SIDES[own] // sum(weights) - 1
            found.append((one if start == end else several).format(start, end))
            start = end + 1
        return found

    def refusal(self, kind: str) -> tuple[str, str]:
        """Say what was refused, and what to do."""
        what, then = self.words.get(kind, self.words["refused"]).split("|")
        return what, then


def refused_page(refusal: Refusal, wished: str) -> bytes:
    """Say to a person what was refused; never what was sent."""
    speak = Speaker(wished)
    what, then = speak.refusal(refusal.kind)
    return speak.page(what, f"<p>{then}</p>")
