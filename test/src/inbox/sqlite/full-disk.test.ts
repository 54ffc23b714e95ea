import { execFile } from "node:child_process";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

import { describe, expect, it, onTestFinished } from "vitest";

import { StateUnavailableError } from "../../../../src/errors.ts";
import type { Inbox, InboxRow } from "../../../../src/inbox/inbox.ts";
import { openSqliteInbox } from "../../../../src/inbox/sqlite/open.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { numbers } from "../../../support/sequences.ts";
import { largeOne } from "../deliveries.ts";

const run = promisify(execFile);
const writer = fileURLToPath(new URL("full-disk-writer.ts", import.meta.url));
const diskBytes = 8 * 1024 * 1024;

/** A user who may not mount a disk cannot fill one either. */
const mayMount = await run("unshare", ["--mount", "true"]).then(
  () => true,
  () => false,
);

/** A folder on a disk of its own. */
async function smallDisk(): Promise<string> {
  const folder = await temporaryFolder();
  await run("mount", ["-t", "tmpfs", "-o", `size=${diskBytes}`, "tmpfs", folder]);
  onTestFinished(async () => void (await run("umount", ["-l", folder])));
  return folder;
}

/** The events of an inbox, by their numbers. */
async function eventsOf(inbox: Inbox): Promise<readonly string[]> {
  const rows: InboxRow[] = [];
  for (;;) {
    const after = rows.at(-1)?.seq ?? 0;
    const more = await inbox.read({ connection: "forms", after, limit: 1_000 });
    if (more.length === 0) break;
    rows.push(...more);
  }
  expect(rows.map(({ seq }) => seq)).toEqual(numbers(rows.length).map((index) => index + 1));
  return rows.map(({ json }) => json.slice('{"event":"'.length, json.indexOf('","text')));
}

describe("openSqliteInbox on a disk that fails", () => {
  it("refuses what cannot be written, and continues with a log begun anew", async () => {
    const folder = await temporaryFolder();
    // No file may grow beyond 2 MB: the log reaches that long before the inbox, and is then written into the inbox.
    const limited = 'trap "" XFSZ; ulimit -f 2000; exec "$@"';
    const size = 18;
    const program = [process.execPath, writer, folder, `${size}`];
    const { stdout } = await run("bash", ["-c", limited, "bash", ...program]);
    const lines = stdout.trimEnd().split("\n");
    expect(lines.filter((line) => line.startsWith("refused"))).not.toEqual([]);

    const inbox = await openSqliteInbox(folder);
    onTestFinished(async () => await inbox.close());
    expect(await eventsOf(inbox)).toEqual(numbers(size).map((index) => `${index + 1}`));
  });

  it(
    "refuses a full disk's deliveries, and takes them again once there is room " +
      `(${mayMount ? "a tmpfs" : "files that may not grow, as mounting is refused"})`,
    async () => {
      const { inbox, kept } = await (mayMount ? fillSmallDisk() : fillAllowance());
      expect(await inbox.keep(largeOne("after"))).toMatchObject({ kept: 1 });
      expect(await eventsOf(inbox)).toEqual([...kept, "after"]);
    },
  );
});

/** An inbox that has room again, and the events that it kept when it had none. */
type Filled = { readonly inbox: Inbox; readonly kept: readonly string[] };

async function fillSmallDisk(): Promise<Filled> {
  const folder = await smallDisk();
  const ballast = join(folder, "ballast");
  await writeFile(ballast, Buffer.alloc((diskBytes * 5) / 8));
  const inbox = await openSqliteInbox(folder);
  onTestFinished(async () => await inbox.close());
  const kept: string[] = [];
  const refused: unknown[] = [];
  for (let number = 1; refused.length < 5; number += 1) {
    const pair = [`${number}a`, `${number}b`];
    const group = await Promise.allSettled(pair.map(async (id) => await inbox.keep(largeOne(id))));
    for (const [index, { status, ...outcome }] of group.entries()) {
      if (status === "fulfilled") kept.push(pair[index] ?? "");
      else refused.push("reason" in outcome && outcome.reason);
    }
  }
  expect(kept.length).toBeGreaterThan(10);
  for (const error of refused) expect(error).toBeInstanceOf(StateUnavailableError);
  await rm(ballast);
  return { inbox, kept };
}

/** A separate process whose files may not grow, so that it finally refuses every delivery. */
async function fillAllowance(): Promise<Filled> {
  const folder = await temporaryFolder();
  const limited = 'trap "" XFSZ; ulimit -f 3000; exec timeout 30 "$@" || true';
  const program = [process.execPath, writer, folder, "1000"];
  const { stdout } = await run("bash", ["-c", limited, "bash", ...program], {
    maxBuffer: 1024 ** 3,
  }).catch((ended: { readonly stdout: string }) => ended);
  const lines = stdout.split("\n");
  expect(lines.findLast((line) => line !== "")).toMatch(/^refused/);
  const kept = lines.flatMap((line) => /^kept (\d+)$/.exec(line)?.[1] ?? []);
  const inbox = await openSqliteInbox(folder);
  onTestFinished(async () => await inbox.close());
  return { inbox, kept };
}
