import type { CaseOutcome, RefusingCase, TestCase, Thrown } from "../../case.ts";
import { mustBe } from "../../failed.ts";
import type { ReadPage, Subject } from "../../subject.ts";
import { tryEdges } from "./cuts.ts";
import { mustCome, mustFind, mustThrow } from "./rows.ts";

/**
 * Fails unless the schema refuses the configuration, or otherwise `read` and, where there is one, `check` do. @throws
 * {CheckFailed}
 */
export async function mustRefuse(
  subject: Subject,
  throws: Thrown,
  testCase: TestCase,
): Promise<void> {
  const { source, harness } = subject;
  const parsed = source.config.safeParse(harness.config);
  if (!parsed.success) {
    const paths = parsed.error.issues.map(({ path }) => path.join("."));
    const isNamed = throws.field === undefined || paths.includes(throws.field);
    const expected = `${throws.code} of ${throws.field ?? "no field"} by its schema`;
    mustBe(throws.code === "ConfigError" && isNamed, expected, `one of ${paths.join(", ")}`);
    return;
  }
  await mustThrowAll(subject, undefined, { ...testCase, throws });
  await tryEdges(subject, { ...testCase, rows: [] });
  await tryFaults(subject, testCase);
}

async function tryFaults(subject: Subject, { findings = [] }: TestCase): Promise<void> {
  const found = await subject.source.check?.(subject.request());
  if (found === undefined) return;
  mustFind(found, findings);
  // Its fault may come after all that `check` looks at.
  if (findings.length > 0 && findings.every(({ ok }) => ok === true)) return;
  const faults = found.filter(({ ok }) => !ok);
  mustBe(faults.length > 0, "a fault found by `check`", "none");
  const unfixed = faults.filter(({ fix = "" }) => fix.trim() === "");
  mustBe(unfixed.length === 0, "a `fix` of each fault", `none of ${unfixed.length}`);
}

/**
 * Fails unless a read that continues after a page has the expected result, be it rows or an error. @throws
 * {CheckFailed}
 */
export async function mustComeTo(
  subject: Subject,
  page: ReadPage | undefined,
  expected: CaseOutcome,
): Promise<void> {
  const { throws } = expected;
  if (throws !== undefined) return await mustThrowAll(subject, page, { ...expected, throws });
  const pages = await subject.read({ from: page?.position, pageRowsMax: 3 });
  mustCome(pages, expected, "after it was changed");
  await mustRefuseAlone(subject, page, expected);
}

/** Fails unless those abilities throw that must throw where a read does not. @throws {CheckFailed} */
export async function mustRefuseAlone(
  subject: Subject,
  page: ReadPage | undefined,
  { refused = {} }: CaseOutcome,
): Promise<void> {
  for (const [ability, thrown] of Object.entries(refused)) {
    const ask = abilities[ability];
    mustBe(ask !== undefined, "an ability that reads", ability);
    await mustThrow(thrown, async () => void (await ask(subject, page)), `by \`${ability}\``);
  }
}

/** Changes the source after the first page of a read, which then continues. @throws {CheckFailed} */
export async function goOnMeanwhile(
  subject: Subject,
  afterwards: NonNullable<TestCase["afterwards"]>,
): Promise<void> {
  const { throws } = afterwards;
  const came: ReadPage[] = [];
  const pages = subject.pages({ pageRowsMax: 3 });
  await pages.next();
  await afterwards.change?.();
  const goOn = async (): Promise<void> => {
    for await (const page of pages) came.push(page);
  };
  if (throws === undefined) await goOn();
  else await mustThrow(throws, goOn, "by a read that continues");
  const { rows, rejects } = afterwards;
  const isSaid = throws === undefined || rows !== undefined || rejects !== undefined;
  if (isSaid) mustCome(came, afterwards, "by a read that continues");
}

type Refusal = CaseOutcome & { readonly throws: Thrown };

/** Fails unless a read throws, after the expected rows and rejects, and every other named ability throws too. */
async function mustThrowAll(
  subject: Subject,
  page: ReadPage | undefined,
  refusal: Refusal,
): Promise<void> {
  const { throws, throwing = [], rows, rejects } = refusal;
  const came: ReadPage[] = [];
  const reading = async (): Promise<void> => {
    const pages = subject.pages({ from: page?.position, pageRowsMax: 3 });
    for await (const one of pages) came.push(one);
  };
  await mustThrow(throws, reading, "by a read");
  if (rows !== undefined || rejects !== undefined) mustCome(came, refusal, "before it is refused");
  for (const ability of throwing) {
    const ask = async (): Promise<void> => void (await abilities[ability]?.(subject, page));
    await mustThrow(throws, ask, `by \`${ability}\``);
  }
}

type Asking = (subject: Subject, page: ReadPage | undefined) => Promise<unknown>;

/** `split` gets the span after the page, `split before` the one up to its end, and `get` its first row within that. */
const abilities: Readonly<Record<string, Asking>> & Readonly<Record<RefusingCase, Asking>> = {
  columns: async (subject) => await subject.source.columns?.(subject.request()),
  discover: async (subject) => await subject.source.discover?.({ ...subject.request(), max: 10 }),
  get: async (subject, page) => {
    const names = [page?.raw.where(0) ?? "nowhere:1"];
    return await subject.source.get?.({ ...subject.request(), to: page?.position, names });
  },
  split: async (subject, page) =>
    await subject.source.split?.({ ...subject.request(), from: page?.position, parts: 2 }),
  "split before": async (subject, page) =>
    await subject.source.split?.({ ...subject.request(), to: page?.position, parts: 2 }),
};
