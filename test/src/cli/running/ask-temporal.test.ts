import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Client, Connection } from "@temporalio/client";
import { afterEach, expect, it, onTestFinished, vi } from "vitest";

import { configOf } from "../../../../src/cli/output/context.ts";
import { askTemporal, ownWaiting, type Told } from "../../../../src/cli/running/ask-temporal.ts";
import { failureFrom } from "../../../../src/cli/running/follow.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import { temporalIdOf } from "../../../../src/local/presence.ts";
import { noCounts } from "../../../../workflows/sync/progress.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { heldNight } from "../../../support/project/held-night.ts";
import { accountsConfig } from "../../../support/project/project.ts";
import { ownNamespace } from "../../../support/temporal/own-namespace.ts";

afterEach(() => void vi.unstubAllEnvs());

it("a run that is held at another Temporal than is used here is told as one", async () => {
  const harness = await heldNight();
  const runs = await harness.state.runs({ isOpen: true, limit: 1 });
  const { address, namespace, close } = await ownNamespace(harness.folder);
  onTestFinished(close);
  vi.stubEnv("TEMPORAL_ADDRESS", address);
  vi.stubEnv("TEMPORAL_NAMESPACE", namespace);
  const environment = readEnvironment({ TEMPORAL_ADDRESS: address });
  const silent = { print: () => undefined, say: () => undefined, exit: () => undefined };
  const context = { ...silent, environment, cwd: harness.folder };
  const about = { runs, scheduled: [], storeId: "s", used: undefined };
  const told = await askTemporal(about, harness.deps.config, context);
  expect([[...told.elsewhere], told.runs.size]).toEqual([["run-1"], 0]);
});

it("a backfill whose plan nobody has answered says that it waits, and for whom", () => {
  const progress = { run_id: "run-1", sync: "accounts", mode: null, mode_reason: null };
  const said = { ...progress, counts: noCounts, waiting: null, report: null };
  expect(ownWaiting({ ...said, needs_approval: true })).toBe(
    "its plan waits for consent: `sluice backfill --follow run-1`, or `sluice cancel run-1`",
  );
  expect(ownWaiting({ ...said, needs_approval: false, waiting: "paused" })).toBe("paused");
  expect(ownWaiting(said)).toBeUndefined();
});

it("a run whose namespace is gone says so, and where to look", async () => {
  const { address, close } = await ownNamespace(await temporaryFolder());
  onTestFinished(close);
  const connection = await Connection.connect({ address });
  onTestFinished(async () => await connection.close());
  const client = new Client({ connection, namespace: "nowhere" });
  const ended: unknown = await client.workflow
    .getHandle("sync-accounts")
    .result()
    .catch((error: unknown) => error);
  expect(await failureFrom(ended, client)).toMatchObject({
    code: "TemporalUnreachable",
    message: 'Temporal has no namespace "nowhere"',
    hint: "check TEMPORAL_NAMESPACE, and TEMPORAL_ADDRESS",
  });
});

it("a Temporal that the store is not used with is not asked for schedules", async () => {
  const folder = await temporaryFolder();
  const { address, namespace, client, close } = await ownNamespace(folder);
  onTestFinished(close);
  vi.stubEnv("TEMPORAL_ADDRESS", address);
  vi.stubEnv("TEMPORAL_NAMESPACE", namespace);
  await writeFile(join(folder, "sluice.yaml"), accountsConfig());
  const silent = { print: () => undefined, say: () => undefined, exit: () => undefined };
  const environment = readEnvironment({
    TEMPORAL_ADDRESS: address,
    SLUICE_BASE_URL: "sandbox",
    SLUICE_LEGACY_BASE_URL: "sandbox",
  });
  const context = { ...silent, environment, cwd: folder };
  const config = await configOf(context, {});
  const ask = async (id?: string): Promise<Told> => {
    const used = id === undefined ? id : { id, at: "elsewhere:7233", namespace: "default" };
    const about = { runs: [], scheduled: ["accounts"], storeId: "s", used };
    return await askTemporal(about, config, context);
  };
  const elsewhere = await ask("another default");
  expect(elsewhere.schedules.size).toBe(0);
  expect(elsewhere.silent).toMatchObject({ isFault: true });
  expect(elsewhere.silent?.text).toContain("is used with Temporal at elsewhere:7233");
  expect(elsewhere.silent?.hint).toContain("sluice store rebind");
  const same = await ask(await temporalIdOf(client));
  expect([same.silent, same.schedules.get("accounts")]).toEqual([undefined, { kind: "none" }]);
  // Otherwise it would report the next run of a schedule that does not exist.
  vi.stubEnv("TEMPORAL_NAMESPACE", "nowhere");
  const nowhere = await ask();
  const text = 'Temporal has no namespace "nowhere"';
  expect([nowhere.silent?.text, nowhere.schedules.size]).toEqual([text, 0]);
});
