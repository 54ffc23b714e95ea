import { spawn } from "node:child_process";
import { mkdir, readFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it, onTestFinished } from "vitest";

import { postgres, type TestDatabase } from "../support/postgres/postgres.ts";
import { end, until, watch, type Ended } from "../support/process/process.ts";
import { bin, Project } from "../support/project/project.ts";
import { commandsIn, root, section, shown } from "./readme-blocks.ts";
import { nameOf, outcomes, rows, sections, type Outcome } from "./readme-outcomes.ts";

/** Runs a command of the README as a shell would. */
async function typed(project: Project, command: string, outcome: Outcome): Promise<Ended> {
  const words = [...command.matchAll(/"([^"]*)"|(\S+)/g)].map(
    ([, quoted, bare]) => quoted ?? bare ?? "",
  );
  const run = command.startsWith("sluice approve") ? [(await project.report()).run_id] : [];
  const args = [
    ...words.slice(1, run.length === 0 ? undefined : 2),
    ...run,
    ...(outcome.options ?? []),
  ];
  if (outcome.lasts !== true) return await project.sluice(...args);
  const child = spawn(process.execPath, [bin, ...args], { cwd: project.folder, env: project.env });
  const { printed, ended } = watch(child);
  onTestFinished(async () => await end(child, "SIGKILL"));
  await until(async () => {
    const { stdout, stderr } = await Promise.resolve(printed());
    return child.exitCode !== null || outcome.prints.test(stdout + stderr);
  });
  await end(child, "SIGTERM");
  return await ended;
}

/** A project with everything that the tour shows, its table with a row `a-17`, and a worker. */
async function tourProject(): Promise<{ project: Project; database: TestDatabase }> {
  const database = await postgres();
  await database.query(`
    create schema crm;
    create table crm.companies (id text primary key, website text, company_name text,
      updated_at timestamptz not null default now());
    create index on crm.companies (updated_at, id);
    insert into crm.companies
      select 'a-' || n, 'shop' || n || '.example', 'Shop ' || n, now() from generate_series(1, ${rows}) n`);
  const tour = await readFile(join(root, "docs/tour.md"), "utf8");
  const [nightly = "", events = "", pulls = ""] = [...tour.matchAll(/^```yaml\n(.*?)^```$/gms)].map(
    ([, text]) => text,
  );
  const [head = ""] = shown.yaml.split("connections:");
  const [connections = "", syncs = ""] = events.split("syncs:\n");
  const held = nightly.replace(
    "    schedule:",
    "    hold_if: { changed_above: 30 }\n    schedule:",
  );
  const [before = "", after = ""] = held.split("syncs:\n");
  const yaml = `${head}${before}${connections.replace("connections:\n", "")}syncs:\n${syncs}${after}${pulls}`;
  const project = await Project.start(onTestFinished, { "sluice.yaml": yaml });
  Object.assign(project.env, {
    CRM_DATABASE_URL: database.url,
    SLACK_WEBHOOK_URL: "http://127.0.0.1:9/services/nobody",
    FORMS_SECRET: "whsec_c2VjcmV0LW9mLXRoZS1yZWFkbWUtdGVzdA==",
  });
  await mkdir(join(project.folder, "tests"));
  await project.write(
    "tests/accounts.yaml",
    "sync: accounts\ncases:\n  - name: a company\n" +
      "    row: { id: a-1, website: shop1.example, company_name: Shop 1 }\n" +
      "    record: { account_id: a-1, domain: shop1.example, account_properties: { name: Shop 1 } }\n",
  );
  await project.worker();
  return { project, database };
}

it("every command after the README's first file does what the README says of it", async () => {
  const { project, database } = await tourProject();
  const wrong: unknown[] = [];
  const printed: string[] = [];
  for (const command of sections.flatMap((heading) => commandsIn(section(heading)))) {
    const outcome = outcomes[nameOf(command)];
    if (outcome === undefined) throw new Error(`nothing is known of what ${command} does`);
    await outcome.before?.(project, database);
    const ended = await typed(project, command, outcome);
    const isRight = ended.code === outcome.code && outcome.prints.test(ended.stdout + ended.stderr);
    if (!isRight) wrong.push({ command, ...ended });
    printed.push(ended.stdout);
  }
  expect(wrong).toEqual([]);
  const [, ok, notShown] = /^(\d+) ok, 0 failed, (\d+) not shown/m.exec(printed.join("\n")) ?? [];
  expect(section("Then")).toContain(` ${Number(ok) + Number(notShown)} checks `);
});
