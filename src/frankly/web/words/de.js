// Deutsch.
const von100 = (n, about) => (about ? `etwa ${n}` : `${n}`);
const quoted = (text) => `„${text}“`;

export default {
  dir: "ltr",
  next: "Weiter", back: "Zurück", start: "Beginnen", change: "Ändern", language: "Sprache",
  who: "Wer fragt", why: "Wozu", time: "Wie lange", contact: "Fragen an", then: "Wie es weitergeht",
  welcome: "Niemand kann Ihre Antwort sehen",
  here: "Sie bleibt auf diesem Gerät.",
  label: (only, other) => [
    ["Wer kann meine wahre Antwort sehen?", `Niemand. ${only}`],
    ["Was wird gesendet?", `Manchmal Ihre Antwort, manchmal ${other}.`],
    ["Wenn die Daten bekannt werden?", "Niemand kann sagen, welche es war, auch nicht, wer fragt."],
  ],
  clear: (names) => `Wird so gesendet, wie Sie antworten, ohne Schutz: ${names.map(quoted).join(", ")}.`,
  final: "Einmal gesendet, lässt sich eine Antwort nicht zurücknehmen: Niemand findet Ihre unter den anderen.",
  asks: (n) => (n === 1 ? "Eine Frage." : `${n} Fragen.`),
  count: "Ihre Antwort zählt trotzdem: Aus vielen lassen sich die Anteile der ganzen Gruppe errechnen.",
  practice: "Einmal ausprobieren", practiceLead: "Bevor etwas zählt: So wird Ihre Antwort geschützt.",
  practiceAsk: "Zur Übung: Mögen Sie Kaffee?", yes: "Ja", no: "Nein", spin: "Drehen", again: "Noch einmal drehen",
  mine: "Ihre eigene Antwort",
  other: {
    chance: "eine vom Zufall gezogene", flip: "die andere", asked: "eine über etwas Harmloses", mixed: "eine an ihrer Stelle", own: "was der Zufall sagt",
  },
  came: (what, value) => `Diesmal würde ${what} gesendet: ${quoted(value)}.`,
  nobody: "Wer sie liest, sieht nicht, welche von beiden es war.",
  chooseFirst: "Wählen Sie erst eine Antwort, dann drehen Sie.",
  odds: (own, others, other, about) =>
    `Von 100 Menschen wie Ihnen senden ${von100(own, about)} die eigene Antwort und ${von100(others, about)} ${other}.`,
  span: (least, most, other) =>
    `Je nach Frage senden ${least} bis ${most} von 100 Menschen wie Ihnen die eigene Antwort, die übrigen ${other}.`,
  channel: (truth, parts) => `Von 100 Menschen mit der Antwort ${quoted(truth)} senden ${parts.join(", ")}.`,
  sends: (n, about, report) => `${von100(n, about)} ${report ? quoted(report) : "jede der anderen"}`,
  step: (i, n) => `Frage ${i} von ${n}`,
  protected: "geschützt", open: "wird gesendet, wie Sie antworten", bare: "Diese Fragen sind nicht geschützt",
  together: "Eine Ziehung entscheidet für alle Fragen der Gruppe.",
  how: "Was kann gesendet werden?", several: "Wählen Sie alles Zutreffende. Auch nichts ist eine Antwort.",
  number: "Geben Sie eine Zahl ein. Nur ihr Bereich wird verwendet:",
  coverAsk: "Und eine harmlose Frage", coverWhy:
    "Diese Antwort wird gesendet, wenn die zur letzten Frage nicht gesendet wird. Wer sie kennt, könnte beide unterscheiden.",
  error: "Es fehlt noch etwas", missing: "Wählen Sie eine Antwort, um fortzufahren", missingNumber: "Geben Sie eine Zahl in Ziffern ein, ohne Wörter und Einheiten",
  twoWays: (a, b) => `Meinen Sie ${a} oder ${b}? Geben Sie es so ein`,
  check: "Prüfen Sie Ihre Antworten", stays: "Geschützte Antworten bleiben auf diesem Gerät.",
  can: "Was gesendet werden kann", canText:
    "Entweder Ihre geschützten Antworten oder andere an ihrer Stelle. Der Zufall entscheidet, wenn Sie auf Senden drücken, ein für alle Mal. Ein „Ja“ auf eine geschützte Frage heißt nicht, dass Sie Ja gesagt haben.",
  same: "Was gesendet wird", sameText: "Genau diese Antworten.",
  caseOwn: "Wenn Ihre eigenen Antworten gesendet werden", caseOther: "Sonst eine von diesen",
  send: "Senden", sending: "Wird gesendet …", sent: "Danke. Genau dies wurde gesendet",
  left: "Nur diese Zeile hat Ihr Gerät verlassen.", sentText: "Ob ihre geschützten Antworten Ihre eigenen sind, kann niemand sagen.",
  receipt: "Quittung", receiptText: "Sie zeigt, dass Ihre Antwort einmal gespeichert wurde. Sie führt nicht zur Antwort.",
  json: "Byte für Byte",
  next1: "Ihre Zeile wird mit allen anderen gezählt. Wer fragt, sieht Anteile der ganzen Gruppe mit ihrer Unsicherheit.",
  verify: "Diese Seite prüfen", verifyText: (hash) =>
    `Diese Umfrage hat den Fingerabdruck ${hash}. Jeder kann diese Seite mit der veröffentlichten vergleichen: frankly verify-site`,
  costs: (e, times) => `Was gesendet wird, verschiebt die Chancen jeder Vermutung über Ihre geschützten Antworten höchstens um das ${times}-Fache (ε = ${e}).`,
  proof: "Vorsicht: In dieser Umfrage kann manches, was gesendet wird, ein Beweis sein (ε = ∞).",
  spent: (e) => `Umfragen dieser Website haben aus diesem Browser höchstens ε = ${e} erfahren.`,
  later: "Noch nicht gesendet", laterText:
    "Gerade gibt es keine Verbindung. Das Gezogene bleibt auf diesem Gerät, und dieselbe Zeile wird noch einmal gesendet.",
  retry: "Noch einmal versuchen", used: "Diese Einladung wurde schon verwendet", usedText: "Die erste Antwort bleibt. Nichts wurde hinzugefügt.",
  closed: "Diese Umfrage ist beendet", closedText: "Sie nimmt keine Antworten mehr an. Danke für Ihr Kommen.",
  refused: "Das konnte nicht gesendet werden", refusedText: "Nichts wurde gespeichert. Verwenden Sie den Link genau so, wie Sie ihn erhalten haben.",
  invite: "Diese Umfrage braucht eine Einladung", inviteText: "Öffnen Sie den Link genau so, wie Sie ihn erhalten haben, bis zum letzten Zeichen.",
  own: {
    lead: "Sie entscheiden selbst durch Zufall, mit etwas Eigenem. Die Seite nimmt nur das Ergebnis.",
    only: "Nur Sie wissen, ob eine geschützte Antwort wahr ist oder das, was der Zufall sagte.",
    die: ["Nehmen Sie einen Würfel.", "Würfeln Sie für jede Frage neu"], coin: ["Nehmen Sie eine Münze.", "Werfen Sie die Münze für jede Frage neu"],
    birthday: ["Denken Sie an jemanden, dessen Geburtstag hier niemand kennt, jedes Mal an jemand anderen.", "Denken Sie für jede Frage an einen anderen Menschen"],
    truth: (what) => `${what}: Geben Sie auf dieser Seite Ihre wahren Antworten.`,
    other: (what, again) => `${what}: ${again} und geben Sie an, was dabei herauskommt, was auch immer wahr ist.`,
    row: (what, value) => `${what}: ${quoted(value)}`,
    dieOn: (a, b) => (a === b ? `Wurf ${a}` : `Wurf ${a} bis ${b}`),
    coinOn: ["Kopf", "Zahl"],
    birthdayOn: (a, b) => (a === b ? `Geboren im Monat ${a}` : `Geboren in den Monaten ${a} bis ${b}`),
    first: "Zuerst, für die Fragen dieser Seite:", then: "Wenn der Zufall entscheidet:",
  },
};
