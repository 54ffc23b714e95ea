import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Command } from "commander";
import { expect, it, onTestFinished, vi } from "vitest";
import { z } from "zod";

import type { Register } from "../../../../src/cli/output/context.ts";
import { registerCheck } from "../../../../src/cli/project/check.ts";
import { registerDoctor } from "../../../../src/cli/project/doctor.ts";
import { registerStore } from "../../../../src/cli/status/store.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import { migrateStore } from "../../../../src/state/postgres/migrate.ts";
import { openPostgresStore } from "../../../../src/state/postgres/open.ts";
import { storeSteps } from "../../../../src/state/postgres/schema.ts";
import { storeName } from "../../../../src/state/postgres/server.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { newServer } from "../../state/postgres/postgres-store.ts";

const hourMs = 3_600_000;

const factsForm = z.looseObject({ bytes: z.number(), clock_ahead_ms: z.number() });

/** A project whose store is in Postgres, and how to run its commands. */
async function projectInPostgres() {
  const { url, schema } = await newServer();
  const server = { url, schema, project: "p" };
  const folder = await temporaryFolder();
  const named = { ...server, url: url.reveal() };
  const yaml = { version: 1, api: { api_key: "none" }, store: named, connections: {}, syncs: {} };
  await writeFile(join(folder, "sluice.yaml"), JSON.stringify(yaml));
  await migrateStore(server);
  const said = async (register: Register, ...words: readonly string[]): Promise<string> => {
    const lines: string[] = [];
    const print = (text: string): void => void lines.push(text);
    const program = new Command().exitOverride();
    const output = { print, say: () => undefined, exit: () => undefined };
    register(program, { cwd: folder, environment: readEnvironment({}), ...output });
    await program.parseAsync([...words], { from: "user" });
    return lines.join("\n");
  };
  const store = await openPostgresStore(server);
  await store.close();
  return { said, name: storeName(server), storeId: store.storeId };
}

/** Shifts the clock of this process away from the database's, for the rest of the test. */
function shiftClock(byMs: number): void {
  const { now } = Date;
  const clock = vi.spyOn(Date, "now").mockImplementation(() => now() + byMs);
  onTestFinished(() => clock.mockRestore());
}

it.each([
  [3 * hourMs, "3 h 0 min behind"],
  [-2 * hourMs, "2 h 0 min ahead"],
])(
  "store show, doctor and check say of a store its version, its size and how far its clock is: host %i ms ahead",
  async (byMs, clock) => {
    const { said, name, storeId } = await projectInPostgres();
    shiftClock(byMs);
    const look = new RegExp(
      `id ${storeId}, version ${storeSteps.length}, \\d+\\.\\d [kM]B; its clock is ${clock}$`,
      "m",
    );
    const shown = await said(registerStore, "store", "show");
    expect(shown).toMatch(look);
    expect(shown).toContain(`${name}: id `);
    const lookedAt = await said(registerDoctor, "doctor");
    expect(lookedAt).toMatch(look);
    expect(lookedAt).toContain(`ok    ${name}: id `);
    const checked = await said(registerCheck, "check");
    expect(checked).toMatch(look);
    expect(checked).toContain("ok    state store: usable: id ");
    const facts = factsForm.parse(JSON.parse(await said(registerStore, "store", "show", "--json")));
    expect(facts).toMatchObject({ place: name, store: storeId, version: storeSteps.length });
    const { bytes, clock_ahead_ms: aheadMs } = facts;
    expect(bytes).toBeGreaterThan(100_000);
    expect(Math.abs(aheadMs + byMs)).toBeLessThan(5_000);
  },
);
