import { setImmediate } from "node:timers/promises";

import { describe, expect, it } from "vitest";

import { account, gzipOf, started } from "../sandbox-client.ts";
import { pageOf, paths } from "./support.ts";

describe("a sandbox that is closed while it reads uploads in for a search", () => {
  it("finds them after its next start", async () => {
    const client = await started();
    const many = Array.from({ length: 20_000 }, (_, number) => account(number));
    await client.confirm(await client.upload(gzipOf(many)));
    const searching = client.post(paths.accounts, {}).catch((error: unknown) => error);
    for (let turn = 0; turn < 20; turn++) await setImmediate();
    await client.close();
    expect(await searching).toBeInstanceOf(Error);
    const again = await started({ dataFolder: client.dataFolder });
    expect(pageOf(await again.post(paths.accounts, {})).meta.total).toBe(20_040);
  });
});
