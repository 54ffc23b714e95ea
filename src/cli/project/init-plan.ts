import type { Discovery } from "../../../connectors/contract/connector.ts";
import { didYouMean } from "../../config/messages/did-you-mean.ts";
import { scheduleSchema } from "../../config/schema/schedule.ts";
import { ConfigError } from "../../errors.ts";
import { shapeOf } from "../../records/streams.ts";
import type { Secret } from "../../security/secret.ts";
import { plainText } from "../../text/plain-text.ts";
import { firstTests } from "../test/first-tests.ts";
import { shownChoice, type Answers, type Flag } from "./answers.ts";
import { pick, reachDatabase, reachFiles, type Surroundings } from "./init-reach.ts";
import { sampled } from "./init-source.ts";
import { withZone, zoneQuestions } from "./init-zone.ts";
import type { ProjectPlan, WantedSchedule } from "./project-text.ts";
import { assertAddresses, assertNames, typedBy, type Sample } from "./sample.ts";
import {
  looksLikeCount,
  suggestSync,
  yamlOf,
  type Chosen,
  type SuggestedSync,
} from "./suggest-sync.ts";

/** The parts of a new project. */
export type InitPlan = ProjectPlan & {
  readonly syncName: string;
  /** The text of its first tests. */
  readonly tests: string;
  /** The URL that was typed for a variable that is not set. */
  readonly typedUrl: Secret | undefined;
};

const names = { csv: "files", postgres: "database" } as const;
/** The answer that leaves a schedule out. */
const noSchedule = "none";

/** Settles everything about a new project; offers whatever it can guess from the source. */
export async function planProject(answers: Answers, around: Surroundings): Promise<InitPlan> {
  const connector = await answers.ask({
    flag: "connector",
    text: "Where the rows are",
    choices: ["csv", "postgres"],
    hint:
      "for files `sluice init customers.csv`, for a database `sluice init --url-env DATABASE_URL --table " +
      "public.customers`, where DATABASE_URL is a variable",
    parse: (answer) => oneOf("connector is called", ["csv", "postgres"] as const, answer),
  });
  const reached = await (connector === "csv" ? reachFiles : reachDatabase)(answers, around);
  const picked = await pick(answers, reached);
  const isFile = connector === "csv";
  const sample = isFile
    ? await sampled(reached.connection, picked)
    : { rows: [], isMisread: false };
  const one = isFile ? typedBy(sample, picked) : picked;
  const chosen = await askColumns(answers, one, sample);
  const isKeyless = connector === "postgres" && one.key.length === 0 && chosen.key !== undefined;
  // A table without a primary key needs a key by which its rows are read.
  const keyed = isKeyless ? { ...one.from, key: [chosen.key] } : one.from;
  const from = await withZone(answers, { ...one, from: keyed });
  const asked = { ...one, from };
  const found = isFile ? one : typedBy(await sampled(reached.connection, asked), asked);
  const sync = suggestSync(names[connector], found, chosen);
  const schedule = await askSchedule(answers);
  return {
    connection: { name: names[connector], connector },
    reads: reached.reads,
    sync: yamlOf(sync),
    comments: commentsOn(sync, found, answers),
    schedule,
    readsAll: !("changed_by" in found.from),
    syncName: sync.name,
    tests: await firstTests(sync),
    typedUrl: reached.typedUrl,
  };
}

async function askColumns(answers: Answers, found: Discovery, sample: Sample): Promise<Chosen> {
  const stream = await answers.ask({
    flag: "stream",
    text: "What a row is",
    fallback: suggestSync("", found).stream,
    choices: ["account", "contact"],
    // Events are not rows that stay, so there is nothing to guess about them.
    parse: (answer) => oneOf("stream to begin with is", ["account", "contact"] as const, answer),
  });
  const columns = found.columns.map(({ name }) => name);
  const oneColumn = (name: string): string => oneOf("column is called", columns, name);
  const together = found.key.join(",");
  const { keyField } = shapeOf(stream);
  const idQuestion = {
    flag: "id",
    text: `Which column is the ${keyField}`,
    fallback: together === "" ? undefined : together,
    choices: columns,
  } as const;
  const addressQuestion = addressOf(found, { stream, key: undefined });
  answers.assertAnswered([idQuestion, addressQuestion, ...zoneQuestions(found)]);
  const key = await answers.ask({
    ...idQuestion,
    // If only several columns together name a row, the suggested sync makes one text of them.
    parse: (answer) => {
      if (answer === together) return undefined;
      const column = oneColumn(answer);
      assertNames(sample, column);
      return column;
    },
  });
  const question = addressOf(found, { stream, key });
  const address = await answers.ask({
    ...question,
    parse: (answer) => {
      const named = oneColumn(answer);
      assertAddresses(sample, named, question.flag);
      return named;
    },
  });
  return { stream, key, address };
}

/** The question for the domain of an account, or the address of a contact. */
function addressOf(found: Discovery, { stream, key }: Pick<Chosen, "key" | "stream">) {
  const { record } = suggestSync("", found, { stream, key });
  const isContact = stream === "contact";
  const flag = isContact ? "email" : "domain";
  const guessed = record[flag];
  const column = typeof guessed === "object" && "column" in guessed ? guessed.column : undefined;
  return {
    flag,
    text: `Which column is the ${isContact ? "e-mail address" : "domain or website"}`,
    fallback: typeof column === "string" ? column : undefined,
    choices: found.columns.map(({ name }) => name),
  } as const;
}

/** Types of columns that a file does not state. */
const typed: ReadonlySet<string> = new Set(["boolean", "date", "number", "time"]);

async function askSchedule(answers: Answers): Promise<WantedSchedule | undefined> {
  const when = await answers.ask({
    flag: "schedule",
    text: "When it runs by itself: a time such as 02:30, five fields of cron, or none",
    fallback: noSchedule,
    parse: (answer) => {
      if (answer === noSchedule) return undefined;
      const given = answer.includes(" ") ? { cron: answer } : { at: answer };
      return checkedSchedule({ ...given, time_zone: "UTC" });
    },
  });
  if (when === undefined) return undefined;
  return await answers.ask({
    flag: "time-zone",
    text: "In which time zone",
    fallback: Intl.DateTimeFormat().resolvedOptions().timeZone,
    parse: (answer) => checkedSchedule({ ...when, time_zone: answer }),
  });
}

function checkedSchedule(schedule: WantedSchedule): WantedSchedule {
  const { error } = scheduleSchema.safeParse(schedule);
  if (error === undefined) return schedule;
  throw new ConfigError(error.issues.map(({ message }) => `schedule: ${message}`).join("; "));
}

function commentsOn(sync: SuggestedSync, found: Discovery, answers: Answers): readonly string[] {
  const { stream, notes } = sync;
  const { keyField, propertiesField } = shapeOf(stream);
  const addressField = stream === "contact" ? "email" : "domain";
  const guessed = (flag: Flag, text: string): readonly string[] =>
    answers.isGuess(flag) ? [text] : [];
  const counted = found.columns.find(({ name, type }) => type === "number" && looksLikeCount(name));
  const comments = [
    ...guessed("stream", `a row is taken for ${stream === "contact" ? "a contact" : "an account"}`),
    ...guessed(
      "id",
      `${keyField} is read from what names a row: it never changes and is never used twice`,
    ),
    ...guessed(addressField, `${addressField} is read from the column that is called most like it`),
    ...(counted === undefined
      ? []
      : [`${counted.name} counts people: a row without a whole number there is refused`]),
    ...(found.columns.some(
      ({ name, type, note }) => note === undefined && typed.has(type) && !looksLikeCount(name),
    )
      ? [
          "numbers, dates and booleans are what the first rows hold: a row with something else there is refused",
        ]
      : []),
    ...("changed_by" in found.from
      ? ["changed_by must be set by every change of a row; without it every run reads every row"]
      : []),
    ...notes,
    `every other column is sent in ${propertiesField}: remove what the service need not know`,
  ];
  return [
    `What \`sluice init\` made of the columns of ${found.name}; \`sluice preview ${sync.name}\` ` +
      "shows what comes of it:",
    ...comments.map((comment) => `- ${comment}`),
  ].map(plainText);
}

function oneOf<Value extends string>(
  what: string,
  values: readonly Value[],
  answer: string,
): Value {
  // A person's answer comes without the blanks around it, but a column's name may have them.
  const meant = values.filter((value) => value.trim() === answer.trim());
  const found =
    values.find((value) => value === answer) ?? (meant.length === 1 ? meant[0] : undefined);
  if (found !== undefined) return found;
  throw new ConfigError(`no ${what} ${JSON.stringify(answer)}${didYouMean(answer, values)}`, {
    hint: `there are: ${values.map(shownChoice).join(", ")}`,
  });
}
