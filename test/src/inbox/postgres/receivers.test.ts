import { setTimeout as sleep } from "node:timers/promises";

import { expect, it, onTestFinished } from "vitest";

import type { Inbox, InboxRow } from "../../../../src/inbox/inbox.ts";
import { openPostgresInbox } from "../../../../src/inbox/postgres/open.ts";
import { openPostgresReader } from "../../../../src/inbox/postgres/reader.ts";
import { Secret } from "../../../../src/security/secret.ts";
import { migrateStore } from "../../../../src/state/postgres/migrate.ts";
import type { StoreServer } from "../../../../src/state/postgres/server.ts";
import { postgres } from "../../../support/postgres/postgres.ts";
import { numbers } from "../../../support/sequences.ts";
import { delivery, one } from "../deliveries.ts";

async function newStore({ url }: { readonly url?: string } = {}): Promise<StoreServer> {
  const server = { url: new Secret(url ?? (await postgres()).url), schema: "sluice" };
  await migrateStore(server);
  return server;
}

async function receiver(server: StoreServer): Promise<Inbox> {
  const inbox = await openPostgresInbox(server);
  onTestFinished(async () => await inbox.close());
  return inbox;
}

/** Continues reading after the last number that it saw, as a drain does, until `isOver`. */
async function drain(inbox: Inbox, isOver: () => boolean): Promise<readonly InboxRow[]> {
  const seen: InboxRow[] = [];
  for (;;) {
    const isLast = isOver();
    const after = seen.at(-1)?.seq ?? 0;
    const rows = await inbox.read({ connection: "forms", after, limit: 1_000 });
    seen.push(...rows);
    if (isLast && rows.length === 0) return seen;
    await sleep(1);
  }
}

it("a drain that reads on behind the last number misses no event of several receivers", async () => {
  const server = await newStore();
  const receivers = await Promise.all(numbers(3).map(async () => await receiver(server)));
  const drainer = await receiver(server);
  let isOver = false;
  const drained = drain(drainer, () => isOver);
  await Promise.all(
    receivers.map(async (inbox, index) => {
      for (const n of numbers(60)) await inbox.keep(one(`${index} ${n}`));
    }),
  );
  isOver = true;
  const ids = new Set((await drained).map(({ id }) => id));
  expect(ids.size).toBe(180);
});

it("an event that two receivers get at the same time is kept once", async () => {
  const server = await newStore();
  const [first, second] = [await receiver(server), await receiver(server)];
  for (const n of numbers(30)) {
    const kept = await Promise.all([first.keep(one(`${n}`)), second.keep(one(`${n}`))]);
    expect(kept.reduce((sum, each) => sum + each.kept, 0)).toBe(1);
    expect(kept.filter(({ wake }) => wake)).toHaveLength(n === 0 ? 1 : 0);
  }
});

it("receivers of several connections do not wait for each other for ever", async () => {
  const server = await newStore();
  const inboxes = [await receiver(server), await receiver(server)];
  const names = ["a", "b", "c"];
  await Promise.all(
    inboxes.map(async (inbox, index) => {
      for (const _ of numbers(20)) {
        const order = index === 0 ? names : names.toReversed();
        await Promise.all(
          order.map(
            async (connection) => await inbox.keep(delivery([{ json: "1" }], { connection })),
          ),
        );
      }
    }),
  );
  const backlogs = await inboxes[0]?.backlogs();
  expect(backlogs?.map(({ waiting }) => waiting)).toEqual([40, 40, 40]);
});

it("keeps whatever text an event and its id are", async () => {
  const inbox = await receiver(await newStore());
  const json = '{"text":"a\\u0000b","naïve":"\u{1f600}"}';
  await inbox.keep(delivery([{ json, id: "x\0y" }]));
  const rows = await inbox.read({ connection: "forms", after: 0, limit: 10 });
  expect(rows).toMatchObject([{ json, id: "x\0y" }]);
});

it("stamps an event once its connection is its own, so that no later number has an earlier time", async () => {
  const { url, admin } = await postgres();
  const inbox = await receiver(await newStore({ url }));
  await inbox.keep(one("first"));
  await admin.query("begin");
  await admin.query("select from sluice.inbox_connections for update");
  const keeping = inbox.keep(one("second", "2"));
  const late = inbox.keep({ connection: "forms", events: [{ json: "3" }] });
  const isWaiting = "select from pg_stat_activity where wait_event_type = 'Lock'";
  await expect.poll(async () => (await admin.query(isWaiting)).rowCount).toBe(1);
  const { rows } = await admin.query<{ ms: string }>(
    "select floor(extract(epoch from clock_timestamp()) * 1000) as ms",
  );
  await admin.query("commit");
  await Promise.all([keeping, late]);
  const kept = await inbox.read({ connection: "forms", after: 2, limit: 1 });
  expect(kept[0]?.receivedAt).toBeGreaterThanOrEqual(Number(rows[0]?.ms));
});

it("a run waits for a store that cannot be read from for a while, and is told what is wrong", async () => {
  const test = await postgres();
  const server = await newStore(test);
  await test.query("alter schema sluice rename to away");
  const refused: unknown = await openPostgresReader(server).catch((error: unknown) => error);
  expect(refused).toMatchObject({ code: "ConfigError", retryBudgetMs: 600_000 });
  expect(String(refused)).toContain("has no tables yet");
  await test.query("alter schema away rename to sluice");
  const reader = await openPostgresReader(server);
  onTestFinished(async () => await reader.close());
  expect(await reader.last("forms")).toBe(0);
});
