import { expect, it } from "vitest";

import {
  accounts,
  md5Of,
  pullingProject,
  pullNow,
} from "../../support/postgres/pull-into-postgres.ts";

it("`sluice pull` brings scores into Postgres, and the second time changes nothing", async () => {
  const { project, database } = await pullingProject({
    advanced: ", chunks_per_run: 2",
    pulls: ["scores"],
  });
  await project.worker();
  expect(await pullNow(project, "scores")).toMatchObject({
    outcome: "done",
    balanced: true,
    counts: { read: accounts },
    pull: { written: accounts, pages: 4, calls: 4 },
  });
  expect(await database.query("select * from scores where fit is null or segment = ''")).toEqual(
    [],
  );
  const before = await md5Of(database, "scores");
  expect(before).toMatchObject({ rows: accounts });
  expect(await pullNow(project, "scores")).toMatchObject({
    outcome: "done",
    counts: { unchanged: accounts },
    pull: { written: 0, continued: false },
  });
  expect(await md5Of(database, "scores")).toEqual(before);
});
