// English.
/** @param {number} n @param {string} [about] */
const of100 = (n, about) => (about ? `about ${n}` : `${n}`);
/** @param {string} text */
const quoted = (text) => `“${text}”`;

export default {
  dir: "ltr",
  next: "Continue", back: "Back", start: "Start", change: "Change", language: "Language",
  who: "Who asks", why: "Why", time: "How long", contact: "Questions to", then: "What happens next",
  welcome: "Nobody can see your answer",
  here: "It stays on this device.",
  label: (only, other) => [
    ["Who can see my true answer?", `Nobody. ${only}`],
    ["What is sent?", `Sometimes your answer, sometimes ${other}.`],
    ["If the data leak?", "Nobody can tell which it was, not even the people who ask."],
  ],
  clear: (names) => `Sent as you answer, without protection: ${names.map(quoted).join(", ")}.`,
  final: "Once sent, an answer cannot be taken back: nobody can find yours among the others.",
  asks: (n) => (n === 1 ? "One question." : `${n} questions.`),
  count: "Your answer still counts: from many answers the shares of the whole group can be worked out.",
  practice: "See it once", practiceLead: "Before anything counts, try how your answer is protected.",
  practiceAsk: "For practice: do you like coffee?", yes: "Yes", no: "No", spin: "Spin", again: "Spin again",
  mine: "your own answer",
  other: {
    chance: "one drawn by chance", flip: "the other answer", asked: "one about something innocent", mixed: "one in its place", own: "what chance says",
  },
  came: (what, value) => `This time ${what} would be sent: ${quoted(value)}.`,
  nobody: "Whoever reads it cannot see which of the two it was.",
  chooseFirst: "Choose an answer first, then spin.",
  odds: (own, others, other, about) =>
    `Of 100 people like you, ${of100(own, about)} send their own answer and ${of100(others, about)} ${other}.`,
  span: (least, most, other) =>
    `Depending on the question, ${least} to ${most} of 100 people like you send their own answer, the others ${other}.`,
  channel: (truth, parts) => `Of 100 people whose answer is ${quoted(truth)}, ${parts.join(", ")}.`,
  sends: (n, about, report) => `${of100(n, about)} send ${report ? quoted(report) : "each of the others"}`,
  step: (i, n) => `Question ${i} of ${n}`,
  protected: "protected", open: "sent as you answer", bare: "These questions are not protected",
  together: "One draw decides for all questions of its group.",
  how: "What can be sent?", several: "Choose all that apply. None is an answer too.",
  number: "Enter a number. Only its range is used:",
  coverAsk: "And an innocent question", coverWhy:
    "Your answer here stands in when yours to the last question is not sent. Whoever knows it could tell the two apart.",
  error: "There is a problem", missing: "Choose an answer to continue", missingNumber: "Enter one number in digits, without words or units",
  twoWays: (a, b) => `Did you mean ${a} or ${b}? Enter it like that`,
  check: "Check your answers", stays: "Protected answers stay on this device.",
  can: "What can be sent", canText:
    "Either your protected answers, or others in their place. Chance decides when you press Send, once for good. A “yes” to a protected question does not mean that you said yes.",
  same: "What will be sent", sameText: "Exactly these answers.",
  caseOwn: "If your own answers are sent", caseOther: "Otherwise, any of these",
  send: "Send", sending: "Sending …", sent: "Thank you. This is exactly what was sent",
  left: "Only this row left your device.", sentText: "Whether its protected answers are your own, nobody can tell.",
  receipt: "Receipt", receiptText: "It shows that your answer was stored once. It does not lead to the answer.",
  json: "Byte for byte",
  next1: "Your row is counted with all others. The people who ask see shares of the whole group, with their uncertainty.",
  verify: "Check this page", verifyText: (hash) =>
    `This survey has the fingerprint ${hash}. Anyone can compare this page with the published one: frankly verify-site`,
  costs: (e, times) => `What is sent can shift the odds of any guess at your protected answers at most ${times} times (ε = ${e}).`,
  proof: "Careful: in this survey some things that are sent can be proof (ε = ∞).",
  spent: (e) => `Surveys on this site have learned at most ε = ${e} from this browser.`,
  later: "Not sent yet", laterText:
    "There is no connection just now. What was drawn is kept on this device and the same row will be sent again.",
  retry: "Try again", used: "This invitation was used before", usedText: "The first answer stays. Nothing was added.",
  closed: "This survey is closed", closedText: "It takes no more answers. Thank you for coming.",
  refused: "This could not be sent", refusedText: "Nothing was stored. Use the link exactly as you received it.",
  invite: "This survey needs an invitation", inviteText: "Open the link exactly as you received it, to the last letter.",
  own: {
    lead: "You decide by chance yourself, with something of your own. This page only takes the result.",
    only: "Only you know whether a protected answer is true or what chance said.",
    die: ["Take a die.", "throw again for each question"], coin: ["Take a coin.", "toss again for each question"],
    birthday: ["Think of someone whose birthday nobody here knows, each time someone else.", "think of another person for each question"],
    truth: (what) => `${what}: give your true answers on this page.`,
    other: (what, again) => `${what}: ${again}, and give what that says, whatever is true.`,
    row: (what, value) => `${what}: ${quoted(value)}`,
    dieOn: (a, b) => (a === b ? `Throw ${a}` : `Throw ${a} to ${b}`),
    coinOn: ["Heads", "Tails"],
    birthdayOn: (a, b) => (a === b ? `Born in month ${a}` : `Born in months ${a} to ${b}`),
    first: "First, for the questions on this page:", then: "If chance decides:",
  },
};
