import { z } from "zod";

/** Something that a person should know of an answer that counts as acceptance. */
export type AnswerNote = {
  /** The topic of the note, without numbers: each topic is reported once. */
  readonly about: string;
  readonly text: string;
};

/** Whether the body of a 200 accepts all records that were sent. */
export type Acceptance =
  | { readonly isWhole: true; readonly note: AnswerNote | undefined }
  /** Nobody knows which records were taken: all, some or none. */
  | { readonly isWhole: false; readonly why: string };

/** Only this much of a text is judged: a hostile one must not cost more. */
const judgedCharsMax = 2_000;

/** The number of texts in a list that are judged. */
const sentencesMax = 20;

/** Splits a name such as `partialSuccess` or `not_accepted` into lower-case words. */
function wordsOf(name: string): string {
  return name
    .slice(0, judgedCharsMax)
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, " ")
    .replaceAll(/[\s_-]+/g, " ")
    .trim()
    .toLowerCase();
}

const refusing = "reject|refus|fail|invalid|error|skipp|discard|dropp|ignor";
const taking = "accepted|stored|saved|received|ingested|imported|succeeded|successful";
const record = "(?:records?|rows?|lines?|items?|objects?|entries|events?|accounts?|contacts?)";
/** Matches a refusal that did not happen: "0 errors", "without any rejected records". */
const noRefusal = new RegExp(
  String.raw`\b(?:no|0|zero|without(?: any)?) (?:${record} )?(?:were |was )?(?:${refusing})\w*`,
  "g",
);

const refusingStatus = new RegExp(
  String.raw`\b(?:err|fail|reject|refus|invalid|den(?:y|ied)|partial|incomplete|abort|cancel|` +
    "expir|dropp|discard|skipp|ignored|malform|mismatch|exceed|conflict|forbidden|" +
    String.raw`exception|un(?:success|accept|process|able|author)|timed out|timeout|cannot|not\b|` +
    String.raw`no\b|none\b|nothing\b)`,
);

/** Matches a status that says only that records were taken. */
const familiarStatus = new RegExp(
  "^(?:ok|okay|success|successful|succeeded|accepted|received|stored|saved|created|" +
    "confirmed|complete|completed|done|queued|pending|scheduled|submitted|uploaded|" +
    "ingested|imported|processed|processing|started|in progress)$",
);

/** In a sentence the words of a refusal often mean something else, so they count only in a few places. */
const refusingSentence = [
  new RegExp(
    String.raw`^\W*(?:err(?:or)?\b|fail|reject|refus|invalid|denied|nothing\b|none\b|unable|` +
      String.raw`could ?n[o']t|cannot|no (?:records?|rows?|lines?)\b)`,
  ),
  /\b(?:was|were|been|has|have|got) (?:\w+ )?(?:reject|refus|fail|invalid|discard|dropp|skipp)/,
  /\bpartial/,
  /\bnot (?:all|every)\b/,
  /\bnot (?:been )?(?:accepted|stored|saved|taken|ingested|imported)\b(?! yet)/,
  /\b(?:nothing (?:was|has)|none (?:of|was|were))\b/,
  /\bwith (?:\w+ )?errors?\b/,
  /\b(?:can|could) ?n[o']t be (?:accepted|stored|saved|ingested|imported|processed|parsed|read|validated)\b/,
];

/** A sentence without clauses about other cases ("if a record is invalid, …") and refusals that did not happen. */
function plainSentence(text: string): string {
  return text
    .slice(0, judgedCharsMax)
    .toLowerCase()
    .replaceAll(/(?<=\d)[,_'](?=\d{3}(?!\d))/g, "")
    .replaceAll(/\b(?:if|when|will|may|might|can|could|would|should)\b(?! ?n[o']t)[^.;,\n]*/g, "")
    .replaceAll(noRefusal, "");
}

type Counts = { readonly taken: readonly number[]; readonly refused: readonly number[] };

function numbersIn(text: string, pattern: string): number[] {
  return [...text.matchAll(new RegExp(pattern, "g"))].map(([, number]) => Number(number));
}

/** The counts in a sentence: "2 of 3 records were stored", "1 record rejected", "accepted: 2". */
function countsInSentence(text: string): Counts {
  const were = "(?:were |was |have been |has been )?";
  const part = String.raw`(\d+) ?(?:of|out of|/) ?\d+`;
  const share = String.raw`\b(\d+) ?(?:of|out of|/) ?\d+ (?:${record}|${were}(?:${taking}))\b`;
  return {
    taken: [
      ...numbersIn(text, share),
      ...numbersIn(text, String.raw`\b(?:${taking}|processed):? ${part}\b`),
      ...numbersIn(text, String.raw`\b(?:${taking}) (\d+) ${record}\b`),
      ...numbersIn(
        text,
        String.raw`(?<!\d ?(?:of|out of|/) ?)\b(\d+) (?:${record} )?${were}(?:${taking})\b`,
      ),
      ...numbersIn(text, String.raw`\b(?:${taking})(?: ${record})? ?[:=] ?(\d+)\b`),
    ],
    refused: [
      ...numbersIn(text, String.raw`\b(\d+) (?:[a-z]+ ){0,2}(?:${refusing})`),
      ...numbersIn(text, String.raw`\b(?:${refusing})[a-z]*(?: ${record})? ?[:=] ?(\d+)\b`),
    ],
  };
}

const filler =
  "(?: ?(?:count|total|number|num|of|list|ids|indices|details|records?|rows?|lines?|items?|objects?))*";
const takenName = new RegExp(`^${filler} ?(?:${taking}|success|valid)${filler}$`);
/** Zero may mean that processing has only begun; any other count below the number sent means that some are missing. */
const processedName = new RegExp(`^${filler} ?processed${filler}$`);
const refusedName = new RegExp(`^${filler} ?(?:${refusing})[a-z]*${filler}$`);
const sentName = /^(?:(?:number of|num) )?(?:records?|rows?|lines?)(?: (?:count|total))?$/;
/** Members that report a fault by a text or an object that is not empty. */
const faultName = /^(?:errors?|failures?|rejections?)(?: messages?)?$/;
/** Members whose texts are judged like the message. */
const sentenceName = /^(?:message|detail|warnings?|reason|note)$/;

/** The amount that a member states: a number itself, or the length of a list. */
function amountOf(value: unknown): number | undefined {
  if (Array.isArray(value)) return value.length;
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function isRefusal(name: string, value: unknown): boolean {
  if (typeof value === "boolean") {
    const saysYes = refusedName.test(name) || name === "partial";
    return value ? saysYes : takenName.test(name) || name === "ok";
  }
  if (value === "true" || value === "false") return isRefusal(name, value === "true");
  if (typeof value === "string") return faultName.test(name) && value !== "";
  if (value !== null && typeof value === "object" && !Array.isArray(value)) {
    return faultName.test(name) && Object.keys(value).length > 0;
  }
  return (refusedName.test(name) || name === "detail") && (amountOf(value) ?? 0) > 0;
}

/** The members of an answer and of the objects in it, with their names split into words. */
function membersOf(json: unknown, depth = 3): (readonly [name: string, value: unknown])[] {
  const object = z.record(z.string(), z.unknown()).safeParse(json).data ?? {};
  return Object.entries(object).flatMap(([name, value]) => [
    [wordsOf(name), value] as const,
    ...(depth > 1 ? membersOf(value, depth - 1) : []),
  ]);
}

/** The texts among the members that are sentences of the service. */
function sentencesOf(members: ReturnType<typeof membersOf>): string[] {
  return members.flatMap(([name, value]) => {
    if (!sentenceName.test(name)) return [];
    const values: readonly unknown[] = Array.isArray(value) ? value : [value];
    return values.filter((each) => typeof each === "string").slice(0, sentencesMax);
  });
}

/** Quotes a status that consists of letters; any other might hold an id or a key. */
function shown(status: string): string {
  return /^[A-Za-z][A-Za-z _-]{0,39}$/.test(status) ? `"${status}"` : "(not of letters alone)";
}

const anyText = z.string().catch("");
const texts = z.object({ status: anyText, message: anyText }).catch({ status: "", message: "" });

/**
 * Whether the 200 of a request that applies records accepts all `sent` of them. The API document does not define any
 * words, so it does unless its words or counts say that records were refused or only some were taken. An unfamiliar
 * status accepts, with a note.
 */
export function acceptanceOf(json: unknown, sent: number): Acceptance {
  const { status, message } = texts.parse(json);
  const members = membersOf(json);
  const statusWords = wordsOf(status).replaceAll(noRefusal, "").trim();
  if (refusingStatus.test(statusWords))
    return { isWhole: false, why: `its status is ${shown(status)}` };
  const sentences = [message, ...sentencesOf(members)].map(plainSentence);
  if (sentences.some((text) => refusingSentence.some((pattern) => pattern.test(text)))) {
    return { isWhole: false, why: "its message says so" };
  }
  if (members.some(([name, value]) => isRefusal(name, value))) {
    return { isWhole: false, why: "it lists faults" };
  }
  const told = sentences.map(countsInSentence);
  const counted = members.flatMap(([name, value]) => {
    const amount = amountOf(value) ?? [];
    if (processedName.test(name)) return amount === 0 ? [] : amount;
    return takenName.test(name) || sentName.test(name) ? amount : [];
  });
  const taken = [...told.flatMap((counts) => counts.taken), ...counted];
  const refused = told.flatMap((counts) => counts.refused).find((count) => count > 0);
  if (refused !== undefined) return { isWhole: false, why: `it counts ${refused} as refused` };
  const least = Math.min(...taken);
  if (least < sent) return { isWhole: false, why: `it counts ${least} of ${sent} records` };
  return { isWhole: true, note: noteOf(status, statusWords, { most: Math.max(...taken), sent }) };
}

function noteOf(
  status: string,
  words: string,
  { most, sent }: { readonly most: number; readonly sent: number },
): AnswerNote | undefined {
  if (most > sent) {
    const text = `the service counted ${most} records where ${sent} were sent: they count as accepted`;
    return { about: "more records than were sent", text };
  }
  if (familiarStatus.test(words)) return undefined;
  const about = `the status ${shown(status)}`;
  return {
    about,
    text: `the service answered 200 with ${about}, which was not seen before: it counts as accepted`,
  };
}

const done = new RegExp(
  String.raw`\balready (?:been |being |is |was )?(?:successfully )?(?:confirm|process|accept|` +
    "ingest|import|complet|done|finish|receiv|start|queue|submit|notif|appl|in progress|" +
    "underway)",
);
const refusedBefore = /reject|refus|invalid|validation|partial/;
const refusedSince =
  /\balready\b.*(?:reject|refus|invalid|validation|partial|fail|abort|cancel|discard|error|den(?:y|ied))/;

/**
 * What a 409 to a confirm says about the file: it was confirmed before, its upload is gone, it was refused, or none of
 * these.
 */
export function saidOfConfirmed(message: string): "done" | "gone" | "refused" | undefined {
  const text = message.slice(0, judgedCharsMax).toLowerCase().replaceAll(noRefusal, "");
  if (/\balready\b.*(?:expir|delet|remov)/.test(text)) return "gone";
  if (!/\balready\b/.test(text)) return undefined;
  if (refusedBefore.test(text) || refusedSince.test(text)) return "refused";
  return done.test(text) ? "done" : undefined;
}
