import { expect, it } from "vitest";

import { checkWritePostgres } from "../../../connectors/postgres/check-write.ts";
import { ConfigError } from "../../../src/errors.ts";
import { postgres } from "../../support/postgres/postgres.ts";
import { roleOf } from "./role.ts";
import { readRequestOf } from "./support.ts";

const columns = { key: ["id"], set: ["fit"] };

/** What a write-back of these columns would be refused for, and the statement that helps. */
async function refusal(url: string, members: object = {}): Promise<string | undefined> {
  try {
    await checkWritePostgres({
      ...readRequestOf(url, { table: "crm.scores", ...members }),
      columns,
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return `${error.message} → ${error.hint}`;
  }
}

it("names what keeps a role from writing, with the grant that fixes it", async () => {
  const db = await postgres();
  await db.query("create schema crm; create table crm.scores (id text, fit int, note text)");
  const { url, name } = await roleOf(db, () => "select");
  const said: string[] = [];
  // Each statement that is proposed is run: it must lead to the next fault, and at last to none.
  for (let step = 0; step < 5; step += 1) {
    const fault = await refusal(url);
    if (fault === undefined) break;
    said.push(fault);
    await db.query(/Run: (.*)$/.exec(fault)?.[1] ?? "");
  }
  expect(said).toEqual([
    `role "${name}" may not use the schema crm → Run: grant usage on schema "crm" to "${name}";`,
    "nothing makes id unique in crm.scores, so a row could be written twice → Run: create unique " +
      'index on "crm"."scores" ("id");',
    `role "${name}" may not select, insert, update in "crm"."scores" → Run: grant select, ` +
      `insert, update on "crm"."scores" to "${name}";`,
  ]);
  await db.query(`revoke insert on crm.scores from ${name}`);
  expect(await refusal(url)).toContain("may not insert in");
  expect(await refusal(url, { insert: false })).toBeUndefined();
  expect(await db.query("select * from crm.scores")).toEqual([]);
});
