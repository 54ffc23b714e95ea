import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, readdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import { identify } from "../../../src/local/process-identity.ts";
import { temporaryFolder } from "../process/temporary-folder.ts";
import { clusterFolder, removeLeftClusters } from "./left-clusters.ts";

it("a cluster whose process was killed is ended and removed, and no other", async () => {
  const folder = await temporaryFolder();
  // The server's user is another one.
  await chmod(folder, 0o755);
  const cluster = JSON.stringify(new URL("postgres-cluster.ts", import.meta.url).href);
  const program = `import { PostgresCluster } from ${cluster};
    await PostgresCluster.start();
    process.stdout.write("up");
    setInterval(() => undefined, 1_000);`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", program], {
    env: { ...process.env, TMPDIR: folder },
    stdio: ["ignore", "pipe", "inherit"],
  });
  await once(child.stdout, "data");
  const [name = ""] = await readdir(folder);
  expect(name.startsWith(clusterFolder)).toBe(true);
  const [pid] = (await readFile(join(folder, name, "data/postmaster.pid"), "utf8")).split("\n");
  expect(await removeLeftClusters(folder)).toBe(0);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(identify(Number(pid))).toBeDefined();
  expect(await removeLeftClusters(folder)).toBe(1);
  expect(identify(Number(pid))).toBeUndefined();
  expect(await readdir(folder)).toEqual([]);
});
