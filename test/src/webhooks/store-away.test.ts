import { expect, it } from "vitest";

import { openPostgresInbox } from "../../../src/inbox/postgres/open.ts";
import { Secret } from "../../../src/security/secret.ts";
import { migrateStore } from "../../../src/state/postgres/migrate.ts";
import { receiverRetryAfterSeconds } from "../../../src/webhooks/limits.ts";
import { postgres } from "../../support/postgres/postgres.ts";
import { wayTo } from "../../support/postgres/way.ts";
import { post, startTestReceiver } from "./support.ts";

it("a receiver whose way to the database is closed is not ready, also where nobody posts", async () => {
  const { way, url } = await wayTo((await postgres()).url);
  const server = { url: new Secret(url), schema: "sluice" };
  await migrateStore(server);
  const receiver = await startTestReceiver({
    inbox: async () => await openPostgresInbox(server),
  });
  const ready = async (): Promise<number> =>
    (await fetch(new URL("/readyz", receiver.address))).status;
  expect(await ready()).toBe(200);
  way.let("closed");
  await expect.poll(ready, { timeout: 30_000 }).toBe(503);
  way.let("open");
  await expect.poll(ready, { timeout: 30_000 }).toBe(200);
}, 90_000);

it.each(["closed", "silent"] as const)(
  "a receiver whose way to the database is %s answers 503, says when to come again, and recovers alone",
  async (passage) => {
    const { way, url } = await wayTo((await postgres()).url);
    const server = { url: new Secret(url), schema: "sluice" };
    await migrateStore(server);
    const receiver = await startTestReceiver({
      inbox: async () => await openPostgresInbox(server),
    });
    expect((await post(receiver, [{ id: "a" }])).status).toBe(202);
    way.let(passage);
    const refused = await post(receiver, [{ id: "b" }]);
    expect(refused.status).toBe(503);
    expect(refused.headers.get("retry-after")).toBe(String(receiverRetryAfterSeconds));
    way.let("open");
    await expect
      .poll(async () => (await post(receiver, [{ id: "b" }])).status, { timeout: 30_000 })
      .toBeLessThan(300);
    const rows = await receiver.inbox.read({ connection: "forms", after: 0, limit: 10 });
    expect(rows.map(({ id }) => id)).toEqual(["a", "b"]);
  },
  60_000,
);
