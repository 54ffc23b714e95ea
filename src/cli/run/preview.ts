import type { Source } from "../../../connectors/contract/connector.ts";
import { checkColumns, connectorOf } from "../../../connectors/source.ts";
import { targetOf, type SyncConfig } from "../../config/config.ts";
import { lineOf, recordOf, type RecordPage } from "../../pipeline/page.ts";
import { rejectsDuplicates } from "../../pipeline/rejects-duplicates.ts";
import { changeOf, type Change } from "../../pipeline/what-changed.ts";
import type { KnownRecord } from "../../state/contract/keys/known-records.ts";
import type { RejectEntry } from "../../state/contract/rejects/rejects.ts";
import type { StateStore } from "../../state/state-store.ts";
import { plainJson, plainText } from "../../text/plain-text.ts";
import { counted } from "../../text/quantities.ts";
import { syncNamed } from "../named.ts";
import { configOf, withGlobals } from "../output/context.ts";
import type { Context, GlobalOptions, Register } from "../output/context.ts";
import { exitCodes } from "../output/exit-code.ts";
import { positive } from "../positive.ts";
import { repeated } from "../repeated.ts";
import { waitingSourcesOf } from "../running/wait-for-source.ts";
import { knownOf, mappedRows, wasSecond, withStateThere, wouldBeSent } from "./mapped-rows.ts";

type PreviewOptions = GlobalOptions & { readonly limit: number; readonly key?: readonly string[] };

/** How many of the newest rejects of a key are searched for a row's. */
const rejectsMax = 20;

/** Looks up what is known about keys; undefined if nothing was ever sent from here. */
type LookUp = ((keys: readonly string[]) => Promise<readonly KnownRecord[]>) | undefined;

/** Whether a run rejects the row because an earlier one has its key. */
type IsSecond = (row: { readonly key: string; readonly place: string }) => Promise<boolean>;

function dateText(ms: number): string {
  return new Date(ms).toISOString();
}

function fieldsText(fields: readonly string[] | undefined): string {
  if (fields === undefined) return ", nothing says in which fields";
  return fields.length === 0 ? ", in no field that is followed" : `: ${fields.join(", ")}`;
}

function changeText(change: Change, wouldSend: boolean): string {
  if (!("acceptedAt" in change)) {
    if (change.status === "new") return "new";
    return "unknown, so it is sent: nothing says what the service holds";
  }
  const since = `${change.status} since ${dateText(change.acceptedAt)}`;
  if (change.status === "changed") return `${since}${fieldsText(change.fields)}`;
  return wouldSend ? `${since}, sent again as the sync asks for` : `${since}, not sent`;
}

/** The reason that is shown for a second row of a key. */
const secondReason = "same key as an earlier row";

const howNamed =
  "a row is named by its key, in a file by its line (./customers.csv:78), in an inbox by its number (forms#12)";

function showReject(
  context: Context,
  { place, code, reason, field }: Pick<RejectEntry, "code" | "field" | "place" | "reason">,
  isJson: boolean,
): void {
  if (code === "row_gone" && !isJson) {
    context.say(plainText(`no row ${place} → ${howNamed}`));
    return context.exit(exitCodes.usage);
  }
  const of = field === undefined ? "" : `${field} `;
  if (isJson) context.print(plainJson({ place, reject: { code, field, reason } }));
  else context.say(plainText(`${place}: rejected: ${of}${reason}`));
  context.exit(code === "row_gone" ? exitCodes.usage : exitCodes.doneWithRejects);
}

/**
 * Finds second rows of a key: among rows read from the first on, those after another row of the key; among single rows,
 * those that the last run rejected for it.
 */
function secondRows(
  source: Source,
  { sync, target }: { readonly sync: SyncConfig; readonly target: string },
  { state, isNamed }: { readonly state: StateStore | undefined; readonly isNamed: boolean },
): IsSecond {
  if (sync.send === "all" || !rejectsDuplicates(source, sync)) return async () => false;
  const seen = new Set<string>();
  return async ({ key, place }) => {
    if (!isNamed) return seen.size === seen.add(key).size;
    const of = { target, sync: sync.name, key, limit: rejectsMax };
    return wasSecond(place, (await state?.rejectsOfKey(of)) ?? []);
  };
}

async function showPage(
  context: Context,
  page: RecordPage,
  how: {
    readonly sync: SyncConfig;
    readonly lookUp: LookUp;
    readonly isSecond: IsSecond;
    readonly nowMs: number;
    readonly isJson: boolean;
  },
): Promise<void> {
  const { sync, lookUp, isSecond, nowMs, isJson } = how;
  const known = await lookUp?.(page.candidates.map(({ key }) => key));
  for (const [at, candidate] of [...page.candidates].entries()) {
    const { key, index } = candidate;
    const record = recordOf(page, candidate);
    const place = page.source.where(index);
    if (await isSecond({ key, place })) {
      showReject(context, { place, code: "duplicate_key", reason: secondReason }, isJson);
      continue;
    }
    const change = changeOf(lineOf(page, candidate), sync.stream, known?.[at] ?? { state: "new" });
    const wouldSend = wouldBeSent(change, sync, nowMs);
    if (isJson) {
      const { status } = change;
      const accepted =
        "acceptedAt" in change ? { accepted_at: dateText(change.acceptedAt) } : undefined;
      const fields = status === "changed" ? { changed_fields: change.fields } : undefined;
      const shown = { place, key, status, ...fields, ...accepted, would_send: wouldSend, record };
      context.print(plainJson(shown));
    } else {
      if (lookUp !== undefined) {
        context.say(plainText(`${place} (${key}): ${changeText(change, wouldSend)}`));
      }
      context.print(plainJson(record));
    }
  }
  for (const reject of page.rejects) showReject(context, reject, isJson);
  if (!isJson && page.rejects.some(({ code }) => code === "invalid_encoding")) {
    context.say(
      "→ a file of another encoding is read with, say, `encoding: windows-1252` of its connection",
    );
  }
}

/** `sluice preview [sync]`. */
export const registerPreview: Register = (program, context) => {
  withGlobals(program.command("preview [sync]"), "lines")
    .summary("show the first records of a sync, and what changed; sends nothing")
    .description(
      "show the first records of a sync as they would be sent, and what changed; nothing is sent or stored; " +
        "without a name, those of the only sync",
    )
    .option("-n, --limit <rows>", "how many rows to read", positive, 5)
    .option(
      "--key <key>",
      "the row of this key, in a file path:line, in an inbox connection#number; may be repeated",
      repeated,
    )
    .action(async (name: string | undefined, options: PreviewOptions) => {
      const config = await configOf(context, options);
      const sync = syncNamed(config, name);
      const source = connectorOf({ sources: waitingSourcesOf(config, context) }, sync.connector);
      const { signal } = new AbortController();
      await checkColumns(source, sync, { signal, mayName: true });
      await withStateThere(
        config,
        async (state) => {
          const lookUp: LookUp =
            state && (async (keys) => await knownOf(state, { config, sync }, keys));
          const nowMs = state?.now() ?? Date.now();
          const isNamed = options.key !== undefined;
          const target = targetOf(config.api);
          const isSecond = secondRows(source, { sync, target }, { state, isNamed });
          const isJson = options.json === true;
          let left = options.limit;
          let filtered = 0;
          for await (const page of await mappedRows(source, sync, options)) {
            filtered += page.filtered;
            await showPage(context, page, { sync, lookUp, isSecond, nowMs, isJson });
            left -= page.read;
            if (left <= 0) break;
          }
          if (isJson) return;
          if (left === options.limit) context.say(`${sync.name}: there is no row to show`);
          if (filtered > 0)
            context.say(`${sync.name}: the mapping leaves out ${counted(filtered, "row")}`);
        },
        { onlyReads: true },
      );
    });
};
