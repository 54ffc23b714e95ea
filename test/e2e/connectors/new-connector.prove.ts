import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";

import { expect, it, onTestFinished } from "vitest";

import { Project, projectHead } from "../../support/project/project.ts";

const zod = fileURLToPath(new URL("../../../node_modules/zod", import.meta.url));

const config = `${projectHead}connections:
  mine: { connector: ./demo, file: accounts.db, table: accounts }
syncs:
  accounts:
    from: mine
    stream: account
    record: { account_id: id, domain: domain, account_properties: { name: name } }
`;

it("a connector that `sluice connector new` wrote passes the kit at once, and runs through Temporal", async () => {
  const project = await Project.start(onTestFinished, { "sluice.yaml": config });
  await mkdir(join(project.folder, "node_modules"));
  await symlink(zod, join(project.folder, "node_modules/zod"));
  expect(await project.sluice("connector", "new", "demo", "--full")).toMatchObject({ code: 0 });
  const tested = await project.sluice("connector", "test", "./demo");
  expect(tested).toMatchObject({ code: 0, stderr: "" });
  expect(tested.stdout).toMatch(/^30 ok, 0 failed, 8 not shown, in /m);

  using database = new DatabaseSync(join(project.folder, "accounts.db"));
  database.exec(
    `create table accounts (id text primary key, domain text, name text, changed text);
     insert into accounts values ('a1', 'shop1.example', 'Shop', '2026-01-01T00:00:00.000000Z')`,
  );
  await project.worker();
  const report = await (await project.start({ sync: "accounts" })).result();
  expect(report).toMatchObject({ outcome: "done", counts: { read: 1, sent: 1 } });
});
