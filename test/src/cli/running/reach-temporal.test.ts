import { writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";

import { expect, it } from "vitest";

import { reachTemporal, whyOtherReached } from "../../../../src/cli/running/reach-temporal.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import { identify } from "../../../../src/local/process-identity.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";

/** A port on which nothing listens any more. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise<unknown>((resolve) => void server.close(resolve));
  return typeof address === "object" && address !== null ? address.port : 0;
}

it("takes an embedded server that is just stopping for none, and advises on no variable", async () => {
  const stateFolder = await temporaryFolder();
  const server = identify(process.pid);
  const addresses = { grpc: `127.0.0.1:${await closedPort()}`, ui: "" };
  const record = JSON.stringify({ server, addresses, users: [] });
  await writeFile(join(stateFolder, "temporal.json"), record);
  const context = { environment: readEnvironment({}) };
  expect(await reachTemporal({ stateFolder }, context, 1_000)).toBeUndefined();
});

it("takes a stranger on the default address for none, while the project's own is stopped", async () => {
  const stateFolder = await temporaryFolder();
  const used = { id: "own default", at: "127.0.0.1:45675", namespace: "default" };
  const reached = { temporalId: "other default", address: "127.0.0.1:7233" };
  const why = (isFound: boolean): string | undefined =>
    whyOtherReached({ stateFolder }, used, { ...reached, isFound })?.message;
  expect(why(true)).toContain("is used with Temporal at 127.0.0.1:45675");
  await writeFile(join(stateFolder, "temporal.db"), "");
  expect(why(true)).toBeUndefined();
  expect(why(false)).toContain("is used with Temporal at 127.0.0.1:45675");
});
