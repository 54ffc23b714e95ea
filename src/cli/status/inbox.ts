import { existsSync } from "node:fs";

import { inboxPosition, positionWithout, seqIn } from "../../../connectors/inbox/position.ts";
import { targetOf, type Config } from "../../config/config.ts";
import { inboxFileIn } from "../../inbox/file.ts";
import type { Backlog } from "../../inbox/inbox.ts";
import { openInbox } from "../../inbox/open.ts";
import { openInboxReader } from "../../inbox/reader.ts";
import type { StateClient } from "../../state/state-store.ts";
import { plainText } from "../../text/plain-text.ts";
import { counted, durationText, grouped } from "../../text/quantities.ts";
import { inboxLateMs } from "../../webhooks/limits.ts";
import { advisingTable } from "../output/table.ts";
import { receiverConnections, readHint, type PushConnection } from "../serve/push-connections.ts";
import type { TransferProblem } from "./transfer.ts";

/** The backlog of a connection that is pushed to. */
export type InboxStatus = {
  readonly connection: string;
  readonly path: string;
  /** Events that a sync has not sent yet. */
  readonly waiting: number;
  /** Since the oldest of them came; undefined if there is none. */
  readonly oldestMs: number | undefined;
  readonly problem: TransferProblem | undefined;
};

function problemOf(
  { connection, readers, push, config }: PushConnection,
  { waiting, oldestMs }: Pick<InboxStatus, "oldestMs" | "waiting">,
  fileWaitMs: number,
): TransferProblem | undefined {
  const events = counted(waiting, "event");
  if (readers.length === 0) {
    const text = waiting === 0 ? "no sync reads it" : `no sync reads it: ${events} kept, none sent`;
    return { text, hint: readHint(connection) };
  }
  const reading = `what is wrong with ${readers.join(" or ")}? Is a worker running?`;
  if (waiting >= push.endpoint(config).backlogMax) {
    return { text: "it is full: deliveries are answered 503", hint: reading };
  }
  if (oldestMs === undefined || oldestMs <= inboxLateMs + fileWaitMs) return undefined;
  return { text: "its events are late", hint: reading };
}

/** Undefined if there is none. An event from a clock that is ahead counts as of now. */
function waitedMsOf({ oldestMs }: Pick<Backlog, "oldestMs">): number | undefined {
  return oldestMs === null ? undefined : Math.max(0, oldestMs);
}

/**
 * The backlog of a connection; `backlog` is undefined before its first delivery. Events wait `fileWaitMs` after a file
 * because a person wants it.
 */
export function inboxStatusOf(
  pushed: PushConnection,
  backlog: Pick<Backlog, "oldestMs" | "waiting"> = { waiting: 0, oldestMs: null },
  fileWaitMs = 0,
): InboxStatus {
  const { waiting } = backlog;
  const oldestMs = waitedMsOf(backlog);
  const { connection, push, config } = pushed;
  const { path } = push.endpoint(config);
  const problem = problemOf(pushed, { waiting, oldestMs }, fileWaitMs);
  return { connection, path, waiting, oldestMs, problem };
}

/** Every position in an inbox, of all syncs and targets. */
type Positions = Awaited<ReturnType<StateClient["positions"]>>;

/**
 * The problem that events are kept for somebody who does not send them: a sync that is not configured now or reads
 * another connection, or one that sent to another service or account. A sync that has read another connection since
 * keeps its place there.
 */
function problemOfHeld(
  { connection, accepted }: Backlog,
  positions: Positions,
  { api, syncs }: Pick<Config, "api" | "syncs">,
): TransferProblem | undefined {
  const own = targetOf(api);
  const holding = positions
    .map(({ position, ...of }) => ({ ...of, read: inboxPosition.safeParse(position).data }))
    .find(({ sync, target, read }) => {
      const isReadNow = target === own && syncs.get(sync)?.connection === connection;
      const seq = read === undefined ? undefined : seqIn(read, connection);
      return !isReadNow && seq !== undefined && seq < accepted;
    });
  if (holding?.read === undefined) return undefined;
  const { sync, target, read } = holding;
  const other = target === own ? syncs.get(sync)?.connection : undefined;
  const why = other === undefined ? "is not sent now" : `reads ${other} now`;
  const release =
    other !== undefined && other === read.connection
      ? `set ${sync} '${JSON.stringify(positionWithout(read, connection))}'`
      : `reset ${sync} --target '${target}'`;
  return {
    text: `its events are kept for ${sync} of ${target}, which ${why}`,
    hint: `let them go: \`sluice state ${release} --reason …\``,
  };
}

/** The backlog of a connection that is not configured any more: nobody reads it, and nothing that waits is removed. */
function orphanOf(backlog: Backlog): InboxStatus {
  const { connection, waiting } = backlog;
  return {
    connection,
    path: "-",
    waiting,
    oldestMs: waitedMsOf(backlog),
    problem: {
      text: `nothing configured is pushed to under this name: ${counted(waiting, "event")} kept, none sent`,
      hint: "give the connection this name again until they are sent",
    },
  };
}

/**
 * The backlogs of the connections that are pushed to, and of former ones that still have events waiting. By `state`,
 * they also say for whom events are kept. No receiver has to run, and no inbox is made.
 */
export async function lookIntoInboxes(
  config: Config,
  state?: Pick<StateClient, "positions">,
): Promise<InboxStatus[]> {
  const pushed = receiverConnections(config);
  const backlogs = new Map<string, Backlog>();
  const held = new Map<string, TransferProblem | undefined>();
  if (config.store !== undefined || existsSync(inboxFileIn(config.stateFolder))) {
    const inbox = await openInbox(config, { onlyReads: true });
    try {
      const positions = (await state?.positions({ inbox: inbox.inboxId })) ?? [];
      for (const backlog of await inbox.backlogs()) {
        backlogs.set(backlog.connection, backlog);
        held.set(backlog.connection, problemOfHeld(backlog, positions, config));
      }
    } finally {
      await inbox.close();
    }
  }
  const names = new Set(pushed.map(({ connection }) => connection));
  const orphans = [...backlogs.values()]
    .filter(({ connection, waiting }) => waiting > 0 && !names.has(connection))
    .map(orphanOf);
  return [
    ...pushed.map((each) => {
      const status = inboxStatusOf(each, backlogs.get(each.connection), config.api.fileWaitMs);
      return { ...status, problem: status.problem ?? held.get(each.connection) };
    }),
    ...orphans,
  ];
}

/**
 * A warning where a sync that was reset reads so many events anew that deliveries are refused meanwhile: all that are
 * kept wait for it then, also those that others sent.
 */
export async function fullAfterReset(config: Config, sync: string): Promise<string | undefined> {
  const connection = config.syncs.get(sync)?.connection;
  const pushed = receiverConnections(config).find((each) => each.connection === connection);
  const inbox = pushed === undefined ? undefined : await openInboxReader(config);
  if (pushed === undefined || inbox === undefined) return undefined;
  try {
    const name = pushed.connection;
    const kept = await inbox.held({ connection: name, after: 0, upTo: await inbox.last(name) });
    const { backlogMax } = pushed.push.endpoint(pushed.config);
    if (kept < backlogMax) return undefined;
    const waiting = `${counted(kept, "event")} of ${name} are kept, and wait to be sent again`;
    return `${waiting}: deliveries are answered 503 until fewer than ${grouped(backlogMax)} wait`;
  } finally {
    await inbox.close();
  }
}

/** A line for each connection, below a heading. */
export function inboxesText(inboxes: readonly InboxStatus[]): string {
  const heading = ["connection", "pushed to", "waiting", "oldest", "what is wrong → what to do"];
  const rows = inboxes.map(({ connection, path, waiting, oldestMs, problem }) => [
    connection,
    path,
    grouped(waiting),
    oldestMs === undefined ? "-" : durationText(oldestMs),
    plainText(problem === undefined ? "" : `${problem.text} → ${problem.hint ?? ""}`),
  ]);
  return advisingTable([heading, ...rows]);
}

/** The same for `--json`. */
export function inboxesFacts(inboxes: readonly InboxStatus[]): readonly object[] {
  return inboxes.map(({ connection, path, waiting, oldestMs, problem }) => ({
    connection,
    path,
    waiting,
    oldest_ms: oldestMs ?? null,
    problem: problem?.text ?? null,
    hint: problem?.hint ?? null,
  }));
}
