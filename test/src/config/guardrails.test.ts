import { describe, expect, it } from "vitest";

import type { Config } from "../../../src/config/config.ts";
import { loadConfig } from "../../../src/config/load.ts";
import type { ConnectorSchema } from "../../../src/config/schema/sources.ts";
import { connectors, makeProject, refusal } from "./support.ts";

type Parts = { readonly holdIf: string; readonly sync?: string; readonly connection?: string };

function yamlOf({
  holdIf,
  sync = "",
  connection = "{ connector: whole, path: a.csv }",
}: Parts): string {
  return `version: 1
api: { api_key: abc123 }
connections:
  crm: ${connection}
syncs:
  companies:
    from: crm
    stream: account
    hold_if: ${holdIf}
    record: { account_id: id, domain: site, account_properties: { employees: count } }
${sync}`;
}

const file = connectors.get("file");
const known = new Map<string, ConnectorSchema>(connectors);
if (file !== undefined) known.set("whole", { ...file, restart: () => "each-run" });

async function load(yaml: string, there = known): Promise<Config> {
  return await loadConfig({
    cwd: await makeProject({ "sluice.yaml": yaml }),
    env: {},
    connectors: there,
  });
}

/** The first lines of the problems, `12:7: what is wrong`. */
async function problemsOf(yaml: string, there = known): Promise<readonly string[]> {
  const message = await refusal(load(yaml, there));
  return [...message.matchAll(/^sluice\.yaml:(.*)$/gm)].map(([, problem = ""]) => problem);
}

describe("hold_if", () => {
  it("takes shares, and numbers", async () => {
    const holdIf =
      "{ rejected_above: 2%, changed_above: 30 %, new_above: 500, vanished_above: 5%, rows_below: 0.5%, " +
      "field_changed_above: { domain: 5%, account_properties.employees: 100% } }";
    const { syncs } = await load(yamlOf({ holdIf }));
    expect(syncs.get("companies")?.holdIf).toEqual({
      rejectedAbove: { share: 0.02 },
      changedAbove: { share: 0.3 },
      newAbove: { count: 500 },
      vanishedAbove: { share: 0.05 },
      rowsBelow: { share: 0.005 },
      fieldChangedAbove: { domain: { share: 0.05 }, "account_properties.employees": { share: 1 } },
    });
  });

  it("holds nothing where it is empty, and is no part of what a run must have in common", async () => {
    const [none, some] = await Promise.all(
      ["{}", "{ new_above: 5 }"].map(async (holdIf) =>
        (await load(yamlOf({ holdIf }))).syncs.get("companies"),
      ),
    );
    expect(none?.holdIf).toBeUndefined();
    expect(some?.configHash).toBe(none?.configHash);
  });

  const bound = "must be a share such as 5%, or a whole number such as 500";
  it.each([
    ["{ changed_above: 101% }", ["9:31: must be between 0% and 100%"]],
    ["{ changed_above: 0.3 }", [`9:31: ${bound}`]],
    ["{ changed_above: -1 }", [`9:31: ${bound}`]],
    ["{ changed_above: much }", [`9:31: ${bound}`]],
    [
      "{ changed_over: 5% }",
      ['9:16: unknown member "changed_over" (did you mean "changed_above"?)'],
    ],
    [
      "{ field_changed_above: { domian: 5% } }",
      [
        '9:39: the mapping has no field of this path (did you mean "domain"?); it has account_id, domain, ' +
          "account_properties.employees",
      ],
    ],
  ])("%s is answered at its place", async (holdIf, problems) => {
    expect(await problemsOf(yamlOf({ holdIf }))).toEqual(problems);
  });

  it("is refused where nobody asks what changed", async () => {
    const holdIf =
      "{ rejected_above: 2%, changed_above: 30%, new_above: 5, vanished_above: 5, field_changed_above: { domain: 1 } }";
    const why = "with `send: all` nobody asks whether a record changed: `send: changed` does";
    expect(await problemsOf(yamlOf({ holdIf, sync: "    send: all\n" }))).toEqual([
      `9:36: ${why}`,
      `9:56: ${why}`,
      `9:70: ${why}`,
      `9:112: ${why}`,
    ]);
  });

  it("takes numbers alone of what changed in a source that is read on from its checkpoint", async () => {
    const connection = "{ connector: file, path: a.csv }";
    const holdIf =
      "{ rejected_above: 2%, changed_above: 30%, new_above: 5, vanished_above: 5, rows_below: 80% }";
    const why = "this source is read on from its checkpoint, so";
    expect(await problemsOf(yamlOf({ holdIf, connection }))).toEqual([
      `9:36: ${why} nearly every row of a run has changed: give a number, such as 500`,
      `9:70: ${why} no run reads all of it: nothing says what vanished`,
      `9:89: ${why} a run has as many rows as changed: give a number, such as 1`,
    ]);
  });

  it("is refused of a webhook connection", async () => {
    const pushed = new Map(known);
    if (file !== undefined)
      pushed.set("hook", { ...file, push: { endpoint: () => ({ path: "/a" }) } });
    const connection = "{ connector: hook, path: a.csv }";
    expect(
      await problemsOf(yamlOf({ holdIf: "{ rejected_above: 2% }", connection }), pushed),
    ).toEqual([
      "9:5: a sync of a webhook connection cannot be held: its events would fill the inbox until senders give up",
    ]);
  });
});
