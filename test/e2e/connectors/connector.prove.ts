import { spawn } from "node:child_process";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";

import { describe, expect, it, onTestFinished } from "vitest";

import { installPackage } from "../../support/process/installed-package.ts";
import { watch } from "../../support/process/process.ts";
import { Project, projectHead } from "../../support/project/project.ts";

const timeoutMs = 240_000;
const root = fileURLToPath(new URL("../../..", import.meta.url));

/** The maximum time of the whole kit for one connector: 20 s by itself, up to three times as long beside other work. */
const kitMsMax = 60_000;

const config = `${projectHead}connections:
  mine: { connector: ./demo, file: accounts.db, table: accounts }
syncs:
  accounts:
    from: mine
    stream: account
    record: { account_id: id, domain: domain, account_properties: { name: name } }
`;

/** An empty folder outside the repository in which the packed package is installed. */
async function installed(): Promise<Project> {
  const project = await Project.start(onTestFinished, {});
  project.program = await installPackage(project.folder);
  return project;
}

/** Puts accounts into the source, with changes a minute apart from this one on. */
function putAccounts(project: Project, ids: readonly number[], minute: number): void {
  using database = new DatabaseSync(join(project.folder, "accounts.db"));
  database.exec(
    "create table if not exists accounts (id text primary key, domain text, name text, changed text)",
  );
  const insert = database.prepare("insert or replace into accounts values (?, ?, ?, ?)");
  for (const [index, id] of ids.entries()) {
    const time = new Date(Date.UTC(2026, 0, 1, 0, minute + index));
    const changed = time.toISOString().replace("Z", "000Z");
    insert.run(`a${id}`, `shop${id}.example`, `Shop ${id}, minute ${minute}`, changed);
  }
}

describe("a connector that `sluice connector new` wrote", () => {
  it(
    "passes the kit at once, and runs through Temporal",
    async () => {
      const project = await installed();
      expect(await project.sluice("connector", "new", "demo", "--full")).toMatchObject({ code: 0 });
      const sinceMs = performance.now();
      const tested = await project.sluice("connector", "test", "./demo");
      expect(performance.now() - sinceMs).toBeLessThan(kitMsMax);
      expect(tested).toMatchObject({ code: 0, stderr: "" });
      expect(tested.stdout).toMatch(/^30 ok, 0 failed, 8 not shown, in /m);

      await project.write("sluice.yaml", config);
      const ids = Array.from({ length: 300 }, (_, id) => id);
      putAccounts(project, ids, 0);
      expect(await project.sluice("check", "mine")).toMatchObject({ code: 0 });
      await project.worker();
      const first = await (await project.start({ sync: "accounts" }, "first")).result();
      expect(first).toMatchObject({ outcome: "done", counts: { read: 300, sent: 300 } });

      putAccounts(project, [7, 300], 400);
      const second = await (await project.start({ sync: "accounts" }, "second")).result();
      // The two rows of the last minute are read again: others may have been written late.
      expect(second).toMatchObject({ outcome: "done", counts: { read: 4, sent: 2, unchanged: 2 } });
      const records = await project.records();
      expect(records.size).toBe(301);
      expect(records.get("a7")).toContain("Shop 7, minute 400");

      const asked = ["backfill", "accounts", "--from", "2026-01-01", "--send", "all", "--yes"];
      const again = await project.sluice(...asked, "--json");
      expect(again.code).toBe(0);
      expect(JSON.parse(again.stdout)).toMatchObject({
        plan: { rows: 301, is_counted: true },
        report: { outcome: "done", counts: { read: 301, sent: 301 } },
      });
    },
    timeoutMs,
  );

  it(
    "passes it as one that is pushed to, too",
    async () => {
      const project = await installed();
      const made = await project.sluice("connector", "new", "hook", "--push", "--full");
      expect(made).toMatchObject({ code: 0 });
      const tested = await project.sluice("connector", "test", "hook");
      expect(tested).toMatchObject({ code: 0, stderr: "" });
      expect(tested.stdout).toMatch(/^5 ok, 0 failed, 1 not shown, in /m);
    },
    timeoutMs,
  );

  it(
    "brings a test that vitest runs",
    async () => {
      const project = await installed();
      await project.sluice("connector", "new", "demo", "--full");
      await project.sluice("connector", "new", "hook", "--push", "--full");
      const vitest = join(root, "node_modules/vitest/vitest.mjs");
      const child = spawn(process.execPath, [vitest, "run", "--root", project.folder], {
        cwd: project.folder,
        env: { ...project.env, NO_COLOR: "1" },
        stdio: ["ignore", "pipe", "pipe"],
      });
      const { code, stdout } = await watch(child).ended;
      expect(stdout).toMatch(/Tests +35 passed \| 9 skipped/);
      expect(code).toBe(0);
    },
    timeoutMs,
  );
});
