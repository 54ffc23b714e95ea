import { inspect } from "node:util";

import { ConfigError, RetryLater, SluiceError, SourceAuthError } from "../../src/errors.ts";
import { Secret } from "../../src/security/secret.ts";
import type { Check } from "../check.ts";
import { mustBe, needed, NotShown } from "../failed.ts";
import { mustBeRows } from "../rows.ts";
import type { Subject } from "../subject.ts";
import {
  errorIn,
  errorOf,
  errorsOf,
  mustBeWorthAnotherTry,
  nameOf,
  noticeMsMax,
  plantedPiece,
  plantedRows,
  watch,
  type Watched,
} from "./watch.ts";

/** Rows after which a connection dies: within the first page, within another, within the last. */
const breaks = [3, 10, 24];

const throttleMs = 7_000;

/** A longer wait is in another unit. */
const throttleMsMax = throttleMs + 60_000;

/** A secret shorter than this may be in a text by chance. */
const secretCharsMin = 8;

const breaking: Check = {
  id: "F1",
  title: "says so when the connection dies, and continues from there",
  why:
    "A connection that dies and is taken for the end of the source loses every row after it, because the " +
    "checkpoint is saved as if they had been sent.",
  run: async (subject) => {
    const breakAt = needed(
      subject.harness.breakAt?.bind(subject.harness),
      "the harness has no `breakAt`",
    );
    let hasBroken = false;
    for (const rows of breaks) {
      const watched = await watch(subject, "breakAt", async () => await breakAt(rows));
      hasBroken = (await goesOn(subject, watched)) || hasBroken;
    }
    if (!hasBroken)
      throw new NotShown("the harness's `breakAt` broke no connection: every row came");
  },
};

/** Whether the connection broke at all. */
async function goesOn(subject: Subject, watched: Watched): Promise<boolean> {
  const error = errorIn(watched);
  if (error === undefined) return false;
  mustBeWorthAnotherTry(error, "when the connection died");
  const rest = await subject.rows({ from: watched.position });
  mustBeRows([...watched.rows, ...rest], plantedRows, "before and after the connection died");
  return true;
}

const denying: Check = {
  id: "F2",
  title: "says which setting is wrong when credentials are refused",
  why:
    "Refused credentials that are tried again keep a run going for hours without a row, and nobody hears what " +
    "to fix.",
  run: async (subject) => {
    const deny = needed(subject.harness.deny?.bind(subject.harness), "the harness has no `deny`");
    const error = errorOf(await watch(subject, "deny", deny), "deny");
    const isSaid = error instanceof SourceAuthError || error instanceof ConfigError;
    const expected = "SourceAuthError or ConfigError when the credentials are refused";
    mustBe(isSaid, expected, nameOf(error));
    const isNamed = Boolean(error.field) || Boolean(error.hint);
    mustBe(isNamed, `a \`field\` or a \`hint\` in its ${error.name}`, "neither");
  },
};

const throttling: Check = {
  id: "F3",
  title: "waits as long as the source says when it asks too often",
  why: "If the wait is not passed on, the source is asked again at once, and in the end locks the account out.",
  run: async (subject) => {
    const throttle = needed(
      subject.harness.throttle?.bind(subject.harness),
      "the harness has no `throttle`",
    );
    const watched = await watch(subject, "throttle", async () => await throttle(throttleMs));
    const error = errorOf(watched, "throttle");
    mustBe(error instanceof RetryLater, "RetryLater when it asks too often", nameOf(error));
    const { retryAfterMs } = error;
    const isTold =
      retryAfterMs !== undefined && retryAfterMs >= throttleMs && retryAfterMs <= throttleMsMax;
    const came = retryAfterMs === undefined ? "no wait" : `${retryAfterMs} ms`;
    mustBe(isTold, `the ${throttleMs} ms that the source asked for in \`afterMs\``, came);
  },
};

const stalling: Check = {
  id: "F4",
  title: "gives up on a source that does not answer",
  why:
    "A read without a timeout waits for ever: the run neither ends nor fails, and no row arrives until " +
    "somebody looks.",
  run: async (subject) => {
    const stall = needed(
      subject.harness.stall?.bind(subject.harness),
      "the harness has no `stall`",
    );
    const error = errorOf(await watch(subject, "stall", stall), "stall");
    const when = `within ${noticeMsMax / 1_000} s when the source does not answer`;
    mustBeWorthAnotherTry(error, when);
  },
};

/** A text that people may get to see. */
type Said = { readonly where: string; readonly text: string };

const silence: Check = {
  id: "F5",
  title: "keeps secrets and cells out of its errors and logs",
  why:
    "Temporal and log stores keep the words of errors and log lines, where nobody deletes a " +
    "password or the data of a customer.",
  run: async (subject) => {
    const secrets = secretsIn(subject.config()).map((secret) => secret.reveal());
    if (secrets.some((secret) => secret.length < secretCharsMin)) {
      const what = `a secret of fewer than ${secretCharsMin} characters`;
      throw new NotShown(`the harness's config has ${what}, which may occur anywhere by chance`);
    }
    const failures = await saidInFailures(subject);
    const log = subject.logged.map((text) => ({ where: "its log", text }));
    const said = [...failures, ...(await saidByRecognize(subject)), ...log];
    const forms = secrets.flatMap(formsOf);
    for (const { where, text } of said) {
      const hasSecret = forms.some((form) => text.includes(form));
      mustBe(!hasSecret, `no secret in ${where}`, "one of the configuration's");
      mustBe(!text.includes(plantedPiece), `no cell in ${where}`, "a piece of one");
    }
    if (failures.length > 0) return;
    throw new NotShown(
      "nothing made the connector fail: the harness has no `breakAt`, `deny`, `throttle`, `stall` or `spoil` that did",
    );
  },
};

/** The texts of the connector when things go wrong; none where nothing made it fail. */
async function saidInFailures(subject: Subject): Promise<readonly Said[]> {
  await tryFaults(subject);
  const errors = [...errorsOf(subject)].flatMap(([fault, seen]) =>
    seen.map((error) => ({ where: `what it throws after \`${fault}\``, text: textOf(error) })),
  );
  return [...errors, ...(await saidOfSpoiled(subject)), ...(await saidByCheck(subject))];
}

/** Its answers for a source that it does not know, and for one that another version knew. */
async function saidByRecognize(subject: Subject): Promise<readonly Said[]> {
  const { source } = subject;
  const said: Said[] = [];
  for (const known of [{}, { known: null }, { known: {} }]) {
    try {
      const text = textOf(await source.recognize?.({ ...subject.request(), ...known }));
      said.push({ where: "what `recognize` answers", text });
    } catch (error) {
      said.push({ where: "what `recognize` throws", text: textOf(error) });
    }
  }
  return said;
}

/** Makes each fault that the harness can make and no check made before. */
async function tryFaults(subject: Subject): Promise<void> {
  const { harness } = subject;
  const begins = {
    breakAt: harness.breakAt && (async () => await needed(harness.breakAt?.(10), "")),
    deny: harness.deny?.bind(harness),
    throttle: harness.throttle && (async () => await needed(harness.throttle?.(throttleMs), "")),
    stall: harness.stall?.bind(harness),
  };
  for (const fault of ["breakAt", "deny", "throttle", "stall"] as const) {
    const begin = begins[fault];
    if (begin === undefined || errorsOf(subject).has(fault)) continue;
    await watch(subject, fault, begin);
  }
}

/** The members of rejects that are shown: `row` is kept in the reject store alone. */
async function saidOfSpoiled(subject: Subject): Promise<readonly Said[]> {
  if (subject.harness.spoil === undefined) return [];
  await subject.holds(plantedRows);
  await subject.harness.spoil();
  try {
    const rejects = (await subject.read()).flatMap((page) => page.rejects);
    return rejects.map(({ where, code, reason }) => {
      return {
        where: "a reject's `where`, `code` or `reason`",
        text: `${where} ${code} ${reason}`,
      };
    });
  } catch (error) {
    return [{ where: "what it throws at malformed rows", text: textOf(error) }];
  }
}

async function saidByCheck(subject: Subject): Promise<readonly Said[]> {
  const { harness, source } = subject;
  if (harness.deny === undefined || source.check === undefined) return [];
  const undo = await harness.deny();
  try {
    return [
      { where: "what its `check` finds", text: textOf(await source.check(subject.request())) },
    ];
  } catch (error) {
    return [{ where: "what its `check` throws", text: textOf(error) }];
  } finally {
    await undo();
  }
}

/** Everything that a thing shows when it is printed: message, stack, members, causes. */
function textOf(thing: unknown): string {
  const printed = inspect(thing, { depth: 10, maxStringLength: null, maxArrayLength: null });
  // A stack keeps the message that its error began with, and may have been cut off.
  const chain: string[] = [];
  for (let error = thing; error instanceof Error && chain.length < 10; error = error.cause) {
    chain.push(error.message, error instanceof SluiceError ? (error.hint ?? "") : "");
  }
  return [printed, ...chain].join("\n");
}

function secretsIn(config: unknown): readonly Secret[] {
  if (config instanceof Secret) return [config];
  if (typeof config !== "object" || config === null) return [];
  return Object.values(config).flatMap(secretsIn);
}

/** The forms in which a secret may be written; for an address with a password, also those of the password. */
function formsOf(secret: string): readonly string[] {
  const { password = "" } = URL.parse(secret) ?? {};
  const texts = [secret, password, decodeURIComponent(password)].filter(
    (text) => text.length >= secretCharsMin,
  );
  return texts.flatMap((text) => [
    text,
    encodeURIComponent(text),
    Buffer.from(text).toString("base64"),
  ]);
}

/** F1 to F5: how a connector deals with a source that fails. */
export const failureChecks: readonly Check[] = [breaking, denying, throttling, stalling, silence];
