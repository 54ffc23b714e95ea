import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { join } from "node:path";

import { Command } from "commander";
import { expect, it, onTestFinished, vi } from "vitest";

import { registerDoctor } from "../../../../src/cli/project/doctor.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import { identify } from "../../../../src/local/process-identity.ts";
import { Secret } from "../../../../src/security/secret.ts";
import { migrateStore } from "../../../../src/state/postgres/migrate.ts";
import { openPostgresStore } from "../../../../src/state/postgres/open.ts";
import { PostgresCluster, runSql } from "../../../support/postgres/postgres-cluster.ts";
import { until } from "../../../support/process/process.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { ownNamespace } from "../../../support/temporal/own-namespace.ts";
import { newServer } from "../../state/postgres/postgres-store.ts";

/** The output of `sluice doctor` for the project in a folder. */
async function doctorIn(
  folder: string,
  {
    args = [],
    variables = {},
  }: { args?: readonly string[]; variables?: Record<string, string> } = {},
): Promise<readonly string[]> {
  const lines: string[] = [];
  const print = (text: string): void => void lines.push(text);
  const environment = readEnvironment(variables);
  const program = new Command().exitOverride();
  registerDoctor(program, { cwd: folder, environment, print, say: print, exit: () => undefined });
  await program.parseAsync(["doctor", ...args], { from: "user" });
  return lines;
}

it("says of a state folder that cannot be made what is in its place, and nothing of system calls", async () => {
  const folder = await temporaryFolder();
  const yaml = { version: 1, api: { api_key: "none" }, connections: {}, syncs: {} };
  await writeFile(join(folder, "file"), "");
  await writeFile(join(folder, "sluice.yaml"), JSON.stringify({ ...yaml, state: "file/a/b" }));
  const lines = await doctorIn(folder);
  const failed = lines.filter((line) => line.startsWith("FAIL"));
  expect(failed).toEqual([expect.stringMatching(/cannot be made: .*file is a file$/)]);
});

it("says that Temporal has no such namespace", async () => {
  const folder = await temporaryFolder();
  const { address, namespace, close } = await ownNamespace(folder);
  onTestFinished(close);
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.stubEnv("TEMPORAL_ADDRESS", address);
  const said = async (name: string): Promise<string | undefined> => {
    vi.stubEnv("TEMPORAL_NAMESPACE", name);
    const lines = await doctorIn(folder, { variables: { TEMPORAL_ADDRESS: address } });
    return lines.find((line) => line.includes("Temporal"));
  };
  expect(await said("nowhere")).toBe('FAIL  Temporal: Temporal has no namespace "nowhere"');
  expect(await said(namespace)).toBe(`ok    Temporal: ${address}`);
});

it("fails where the project's own Temporal runs and does not answer, whatever listens elsewhere", async () => {
  const folder = await temporaryFolder();
  const yaml = { version: 1, api: { api_key: "none" }, connections: {}, syncs: {} };
  await writeFile(join(folder, "sluice.yaml"), JSON.stringify(yaml));
  await mkdir(join(folder, ".sluice"));
  const hung = createServer();
  await new Promise<void>((resolve) => void hung.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void hung.close());
  const bound = hung.address();
  const port = typeof bound === "object" ? bound?.port : undefined;
  const addresses = { grpc: `127.0.0.1:${port}`, ui: "" };
  const record = { server: identify(process.pid), addresses, users: [] };
  await writeFile(join(folder, ".sluice", "temporal.json"), JSON.stringify(record));
  const lines = await doctorIn(folder);
  expect(lines.slice(1, 3)).toEqual([
    expect.stringContaining(`FAIL  Temporal: cannot reach Temporal at 127.0.0.1:${port}`),
    `      → sluice started it as process ${process.pid}: end that one, and the next command starts another`,
  ]);
});

it("the project's own Temporal that is stopped is well; another one of the store that is away is not", async () => {
  const { url, schema } = await newServer();
  const folder = await temporaryFolder();
  const yaml = { version: 1, api: { api_key: "none" }, connections: {}, syncs: {} };
  const store = { url: url.reveal(), schema, project: "p" };
  await writeFile(join(folder, "sluice.yaml"), JSON.stringify({ ...yaml, store }));
  await mkdir(join(folder, ".sluice"));
  await writeFile(join(folder, ".sluice", "temporal.db"), "");
  await migrateStore({ url, schema, project: "p" });
  const state = await openPostgresStore({ url, schema, project: "p" });
  onTestFinished(async () => await state.close());
  // It makes no difference whether another project's Temporal listens on the default address of this machine.
  const said = async (at: string): Promise<string | undefined> => {
    const temporal = { id: "gone default", at, namespace: "default" };
    await state.bindTemporal({ temporal, isRebound: true });
    const lines = await doctorIn(folder);
    return lines.find((line) => line.includes("Temporal of the store"));
  };
  expect(await said("127.0.0.1:45675")).toMatch(
    /^ok .*127\.0\.0\.1:45675.*own, which `sluice run` starts/,
  );
  expect(await said("elsewhere:7233")).toMatch(/^FAIL .*is used with Temporal at elsewhere:7233/);
});

it("warns that a fail-over loses commits where there is a standby that none waits for", async () => {
  const primary = await PostgresCluster.start();
  onTestFinished(async () => await primary.remove());
  const folder = await temporaryFolder();
  const yaml = { version: 1, api: { api_key: "none" }, connections: {}, syncs: {} };
  // With a role that has only the rights that a worker needs.
  await runSql(
    primary.url,
    "create role worker login password 'w' in role pg_write_all_data, pg_read_all_data",
  );
  const url = Object.assign(new URL(primary.url), { username: "worker", password: "w" }).href;
  const store = { url, schema: "public", project: "p" };
  await writeFile(join(folder, "sluice.yaml"), JSON.stringify({ ...yaml, store }));
  await migrateStore({ ...store, url: new Secret(primary.url) });
  const said = async (): Promise<readonly string[]> => {
    const lines = await doctorIn(folder);
    const at = lines.findIndex((line) => line.includes("fail-over of the store"));
    return lines.slice(at, at + 2);
  };
  const well = "ok    fail-over of the store: no commit is lost by it";
  expect(await said()).toContain(well);
  const standby = await primary.standby();
  onTestFinished(async () => await standby.remove());
  expect(await said()).toEqual([
    "FAIL  fail-over of the store: commits wait for no standby: the last ones may be lost",
    expect.stringContaining("→ set synchronous_standby_names on the server"),
  ]);
  await runSql(primary.url, "alter system set synchronous_standby_names = '*'");
  await runSql(primary.url, "select pg_reload_conf()");
  await until(async () => {
    const [row] = await runSql(primary.url, "show synchronous_standby_names");
    return row?.["synchronous_standby_names"] === "*";
  });
  expect(await said()).toContain(well);
});

it("says once of a store that is away that it is, and a program all that was looked at", async () => {
  const folder = await temporaryFolder();
  const yaml = { version: 1, api: { api_key: "none" }, connections: {}, syncs: {} };
  const store = { url: "postgres://u:x@127.0.0.1:1/d", project: "p" };
  await writeFile(join(folder, "sluice.yaml"), JSON.stringify({ ...yaml, store }));
  const failed = (await doctorIn(folder)).filter((line) => line.includes("ECONNREFUSED"));
  expect(failed).toEqual([expect.stringMatching(/^FAIL {2}state store: /)]);
  const facts = await doctorIn(folder, { args: ["--json"] });
  expect(facts.filter((line) => line.includes("ECONNREFUSED"))).toHaveLength(4);
});
