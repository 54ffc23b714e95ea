import { plainJson, plainText } from "../../text/plain-text.ts";
import { counted, grouped } from "../../text/quantities.ts";
import type { RecordVerdict, VerifiedRecord } from "../../verify/look-up.ts";
import { summaryOf } from "../../verify/summary.ts";
import type { Verification } from "../../verify/verify.ts";

/** A verification, with what was asked for. */
export type ShownVerification = Verification & {
  readonly sync: string;
  /** Undefined if keys were named. */
  readonly seed: number | undefined;
};

/** How many records the text names one by one; `--json` names all. */
const toldMax = 50;

const verdictTexts: Readonly<Record<RecordVerdict, string>> = {
  same: "as sent",
  differs: "the service shows something else",
  missing: "the service does not find it",
  recent: "accepted within 24 hours, and not shown as sent yet",
  ambiguous: "the service finds several",
  incomparable: "the value that it is found by has changed since it was sent",
  unanswered: "no answer",
};

function isToldByName({ verdict }: VerifiedRecord): boolean {
  return verdict !== "same";
}

function fieldsText(fields: Readonly<Record<string, number>>): string {
  const all = Object.entries(fields).map(([field, records]) => `${field} ${grouped(records)}`);
  return all.length === 0 ? "none" : all.join(" · ");
}

function recordLine({ record, verdict, compared, why }: VerifiedRecord): string {
  const differing = (compared?.differing ?? []).map(
    ({ field, held, shown }) => `${field} is ${plainJson(shown)}, sent was ${plainJson(held)}`,
  );
  const what = differing.length > 0 ? differing.join("; ") : (why ?? verdictTexts[verdict]);
  const since = new Date(record.acceptedAt).toISOString();
  return `  ${plainText(`${verdict} ${record.key} (${record.place}, accepted ${since}): ${what}`)}`;
}

function leftText({ left, stopped, isInterrupted }: Verification["looked"]): string {
  const why = stopped?.message ?? (isInterrupted ? "interrupted" : "the calls were used up");
  return `  not asked     ${grouped(left)}: ${plainText(why)}`;
}

/** What a verification found, for a person. */
export function verifyText({ sync, seed, chosen, looked }: ShownVerification): string {
  const { records, left } = looked;
  const summary = summaryOf(looked);
  const drawn = seed === undefined ? "" : `, seed ${seed}`;
  const told = records.filter(isToldByName);
  const many = `${counted(records.length, "record")} of ${grouped(chosen.read)}`;
  const isNothing = records.length === 0 && left === 0;
  const lines = [
    isNothing
      ? `${sync}: nothing to look up${chosen.read === 0 ? ", the source gives no record" : ""}; no call was made`
      : `${sync}: ${many} looked up in ${counted(summary.calls, "call")}${drawn}`,
    ...Object.entries(summary.counts)
      .filter(([, count]) => count > 0)
      .map(([verdict, count]) => `  ${verdict.padEnd(13)} ${grouped(count)}`),
    ...(left > 0 ? [leftText(looked)] : []),
    ...(Object.keys(summary.differing).length > 0
      ? [`  differing     ${fieldsText(summary.differing)}`]
      : []),
    ...(isNothing
      ? []
      : [
          `  compared      ${fieldsText(summary.compared)}`,
          `  not shown     ${fieldsText(summary.incomparable)}`,
        ]),
    ...told.slice(0, toldMax).map(recordLine),
    ...(told.length > toldMax ? [`  and ${told.length - toldMax} more: \`--json\` names all`] : []),
    ...chosen.notHeld.map((key) => {
      const next = "the next run that reads its row sends it";
      return `  ${plainText(`not known ${key}: nothing says that the service accepted it; ${next}`)}`;
    }),
  ];
  return lines.join("\n");
}

/** The same as JSON: every record that is not as sent, with its values. */
export function verifyJson({ sync, seed, chosen, looked }: ShownVerification): string {
  const { counts, calls, left, ...fields } = summaryOf(looked);
  const records = looked.records.filter(isToldByName).map(({ record, verdict, compared, why }) => ({
    key: record.key,
    place: record.place,
    verdict,
    accepted_at: new Date(record.acceptedAt).toISOString(),
    differing: compared?.differing,
    why,
  }));
  const { code, message } = looked.stopped ?? {};
  const stopped = looked.stopped === undefined ? undefined : { code, message };
  return plainJson({
    sync,
    seed,
    read: chosen.read,
    looked_up: looked.records.length,
    calls,
    left,
    stopped,
    interrupted: looked.isInterrupted || undefined,
    ...counts,
    ...fields,
    not_held: chosen.notHeld,
    records,
  });
}
