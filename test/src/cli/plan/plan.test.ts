import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { connectorOf } from "../../../../connectors/source.ts";
import { syncNamed } from "../../../../src/cli/named.ts";
import { planReport } from "../../../../src/cli/plan/plan-report.ts";
import { registerPlan } from "../../../../src/cli/plan/plan.ts";
import { readPlan } from "../../../../src/cli/plan/read-plan.ts";
import { registerRun } from "../../../../src/cli/run/run.ts";
import { inboxFileIn } from "../../../../src/inbox/file.ts";
import type { RunReport } from "../../../../src/report/report.ts";
import { lateRequest } from "../../../support/late-request.ts";
import { formsYaml, overMs, transfer } from "../../../support/project/doubt-story.ts";
import { Harness, harnessHead } from "../../../support/project/harness.ts";
import { runVerb, type Shown } from "../../../support/project/run-verb.ts";
import { stageAll, TestRun } from "../../../support/project/test-run.ts";
import { KeptEvents } from "../../../support/webhooks/kept-events.ts";

/** A project in which each test edits one thing. */
type Edited = {
  readonly fields?: Readonly<Record<string, string>>;
  readonly key?: string;
  readonly stream?: string;
  readonly more?: readonly string[];
  /** A module instead of rules. */
  readonly module?: string;
};

const allFields = { name: "name", staff: "{ column: staff, as: integer }", city: "city" };

function ruleLines(of: string, key: string, fields: Record<string, string>): readonly string[] {
  return [
    "    record:",
    `      ${of}_id: ${key}`,
    of === "account" ? "      domain: domain" : "      email: email",
    `      ${of}_properties:`,
    ...Object.entries(fields).map(([name, rule]) => `        ${name}: ${rule}`),
    "",
  ];
}

function yamlOf(edited: Edited): string {
  const { fields = allFields, key = "id", stream = "account", more = [], module } = edited;
  return [
    `${harnessHead}connections:`,
    "  exports: { connector: csv, path: accounts.csv }",
    "syncs:",
    "  accounts:",
    "    from: exports",
    `    stream: ${stream}`,
    ...more.map((line) => `    ${line}`),
    ...(module === undefined ? [] : [`    record: ${module}`, ""]),
    ...(module === undefined ? ruleLines(stream, key, fields) : []),
  ].join("\n");
}
const rows = 12;

/** Rows of which every third has no city, and of which the last two share their code. */
function csvOf(nameOf = (row: number) => `name ${row}`): string {
  const lines = Array.from({ length: rows }, (_, row) => {
    const city = row % 3 === 0 ? "" : `city ${row % 2}`;
    const code = row === rows - 1 ? `k${row - 1}` : `k${row}`;
    return `a${row},${code},c${row}.example,p${row}@c${row}.example,${nameOf(row)},${row * 10},${city}`;
  });
  return ["id,code,domain,email,name,staff,city", ...lines, ""].join("\n");
}

async function plan(harness: Harness, ...args: readonly string[]): Promise<Shown> {
  return await runVerb(registerPlan, harness, ["plan", "accounts", ...args]);
}

/** A plan's numbers, in the words of the run's report. */
async function planFacts({ deps }: Harness): Promise<object> {
  const { config, sources, state, target } = deps;
  const sync = syncNamed(config, "accounts");
  const { signal } = new AbortController();
  const source = connectorOf({ sources }, sync.connector);
  const read = await readPlan({ sync, source, target, state, now: deps.now(), signal }, undefined);
  const { counts, changes } = planReport(config, sync, {
    deployed: { state: "none" },
    read,
    sample: undefined,
  });
  const { would_send: sent, ...others } = counts;
  return { counts: { ...others, sent }, changes };
}

function runFacts({ counts, changes }: RunReport): object {
  const { read, sent, unchanged, filtered, rejected } = counts;
  // Only a run, which reads to the end, counts vanished records.
  const { vanished: _, ...why } = changes ?? {};
  return {
    counts: { read, sent, unchanged, filtered, rejected },
    changes: changes === undefined ? undefined : why,
  };
}

/** Every file of a project's state and its modification time. */
async function written({ deps }: Harness): Promise<readonly string[]> {
  const { stateFolder } = deps.config;
  const names = await readdir(stateFolder, { recursive: true });
  return await Promise.all(
    names.map(async (name) => {
      const { size, mtimeMs } = await stat(join(stateFolder, name));
      return `${name} ${size} ${mtimeMs}`;
    }),
  );
}

const someJs = `export function mapRecord(row) {
  if (row.city === "") return null;
  return { account_id: row.id, domain: row.domain, account_properties: { name: row.name } };
}
`;

const edits: readonly (readonly [string, Edited, string?])[] = [
  ["adds a field", { fields: { ...allFields, code: "code" } }],
  ["takes one out", { fields: { name: "name", staff: "{ column: staff, as: integer }" } }],
  ["renames one", { fields: { title: "name", staff: "{ column: staff, as: integer }" } }],
  ["coerces one otherwise", { fields: { title: "name", staff: "staff" } }],
  ["filters rows by a module", { module: "./some.js" }],
  ["reads rows that changed, too", { fields: allFields }, "new"],
  ["rejects some", { fields: { ...allFields, city: "{ column: city, required: true }" } }],
  ["has another key, which two rows share", { key: "code" }],
  ["lets two rows of a key through", { key: "code", more: ["duplicate_keys: send"] }],
  ["sends everything", { more: ["send: all"] }],
  ["has another stream", { stream: "contact" }],
];

describe("sluice plan", () => {
  it("says of each edit of a mapping what the next run then does", async () => {
    const files = { "accounts.csv": csvOf(), "some.js": someJs };
    let harness = await Harness.open({ yaml: yamlOf({}), files });
    const state = harness;
    let runs = 0;
    const run = async (): Promise<object> => {
      runs += 1;
      return runFacts(await (await TestRun.open(harness, { runId: `run-${runs}` })).transfer());
    };
    const planned = async (what: string): Promise<object> => {
      const before = await written(state);
      const said = await planFacts(harness);
      expect({ what, files: await written(state) }).toEqual({ what, files: before });
      return said;
    };
    expect(await planned("sends all for the first time")).toEqual(await run());
    for (const [what, edit, data] of edits) {
      if (data !== undefined)
        await harness.write(
          "accounts.csv",
          csvOf((row) => `${data} ${row % 5}`),
        );
      harness = await harness.withYaml(yamlOf(edit));
      const said = await planned(what);
      expect({ what, ...said }).toEqual({ what, ...(await run()) });
    }
  });

  it("tells a person what would be sent, and a script by its exit code", async () => {
    const harness = await Harness.open({ yaml: yamlOf({}), files: { "accounts.csv": csvOf() } });
    const first = await plan(harness);
    expect(first).toMatchObject({ code: 5 });
    expect(first.out.slice(0, 2)).toEqual([
      "reads 12 rows: would send 12, unchanged 0, filtered 0, rejected 0",
      "  new 12",
    ]);
    expect(first.out[2]).toMatch(/^1 request, \d\.\d kB \(lightweight\), 1 s at the rate limit$/);
    await (await TestRun.open(harness)).transfer();
    expect(await plan(harness)).toMatchObject({
      out: [
        "the mapping is that of the last run",
        "reads 12 rows: would send 0, unchanged 12, filtered 0, rejected 0",
      ],
      code: 0,
    });
    const edited = { fields: { ...allFields, city: "{ column: city, required: true }" } };
    await harness.withYaml(yamlOf(edited));
    expect(await plan(harness, "--sample", "2")).toMatchObject({ code: 3 });
    expect((await plan(harness, "--sample", "2")).out).toEqual([
      "the mapping is another than at the last run",
      "  mapped otherwise: account_properties.city",
      "reads 2 rows, of the first 2 alone: would send 0, unchanged 1, filtered 0, rejected 1",
      "  rejected as required 1 (first: accounts.csv:2)",
    ]);
  });

  it("names the run that is under way, whose records count as unknown until it has ended", async () => {
    const harness = await Harness.open({ yaml: yamlOf({}), files: { "accounts.csv": csvOf() } });
    const run = await TestRun.open(harness);
    await stageAll(run);
    const { out } = await plan(harness);
    expect(out.slice(0, 2)).toEqual([
      "reads 12 rows: would send 12, unchanged 0, filtered 0, rejected 0",
      "  unknown 12",
    ]);
    expect(out.at(-1)).toBe(
      "run run-1 is under way: its staged records count as unknown here, and no run begins until it has ended; plan " +
        "again then",
    );
    await run.close({ outcome: "cancelled" });
    expect((await plan(harness)).out.join()).not.toContain("run-1");
  });

  it("says that fields are in another order, which changes each record that has them", async () => {
    const harness = await Harness.open({ yaml: yamlOf({}), files: { "accounts.csv": csvOf() } });
    await (await TestRun.open(harness)).transfer();
    const { name, ...others } = allFields;
    const moved = await harness.withYaml(yamlOf({ fields: { ...others, name } }));
    expect((await plan(moved)).out.slice(0, 2)).toEqual([
      "the fields are in another order than at the last run: a record that has them counts as changed",
      "reads 12 rows: would send 12, unchanged 0, filtered 0, rejected 0",
    ]);
    // A third of the records has no city, and so is as it was.
    const { staff, city } = allFields;
    const swapped = await harness.withYaml(yamlOf({ fields: { name, city, staff } }));
    expect((await plan(swapped)).out.slice(0, 2)).toEqual([
      expect.stringContaining("a record that has them counts as changed"),
      "reads 12 rows: would send 8, unchanged 4, filtered 0, rejected 0",
    ]);
    await harness.withYaml(yamlOf({ fields: { ...others, name } }));
    expect((await plan(moved, "--json")).out.join()).toContain('"state":"reordered"');
    await (await TestRun.open(moved, { runId: "run-2" })).transfer();
    expect((await plan(moved)).out[0]).toBe("the mapping is that of the last run");
  });

  it("says so as long as no run in that order had anything accepted", async () => {
    const files = { "accounts.csv": csvOf() };
    const harness = await Harness.open({ yaml: yamlOf({}), files });
    await (await TestRun.open(harness)).transfer();
    const { name, ...others } = allFields;
    const moved = await harness.withYaml(yamlOf({ fields: { ...others, name } }));
    const given = await TestRun.open(moved, { runId: "run-2" });
    await stageAll(given);
    await given.close({ outcome: "cancelled" });
    expect((await plan(moved)).out[0]).toContain("the fields are in another order");
    const back = await harness.withYaml(yamlOf({}));
    expect((await plan(back)).out.slice(0, 2)).toEqual([
      "the mapping is that of the last run",
      "reads 12 rows: would send 0, unchanged 12, filtered 0, rejected 0",
    ]);
  });

  it("counts records in doubt that the next run sends once more before it reads", async () => {
    const first = await Harness.open({ yaml: formsYaml("site") });
    const events = new KeptEvents(inboxFileIn(first.deps.config.stateFolder));
    events.keep("forms", JSON.stringify({ id: "a1", site: "a.example", name: "OLD" }));
    const run = await TestRun.open(first, { kind: "inbox" });
    const late = await lateRequest(run, await run.stage());
    first.terminated.add("first-run-1");
    events.keep("forms", JSON.stringify({ id: "a1", site: "a.example", name: "NEW" }));
    await transfer(first, "run-2", "inbox");
    await late.arrive();
    first.clock.nowMs += overMs;
    const { out, code } = await plan(first);
    expect(out).toEqual([
      "the mapping is that of the last run",
      "reads 0 rows: would send 1, unchanged 0, filtered 0, rejected 0",
      "  sent again 1",
      "1 record of these is sent once more, in a request before the others: a request of unknown outcome may have " +
        "been applied over what was sent",
    ]);
    expect(code).toBe(5);
    expect((await plan(first, "--sample", "9")).code).toBe(0);
    expect(await transfer(first, "run-3", "inbox")).toMatchObject({ counts: { sent: 1 } });
  });

  it("is what a run names that is to be dry", async () => {
    const harness = await Harness.open({ yaml: yamlOf({}), files: { "accounts.csv": csvOf() } });
    const dry = runVerb(registerRun, harness, ["run", "accounts", "--dry-run"]);
    await expect(dry).rejects.toMatchObject({
      message: "run sends: it has no --dry-run",
      hint: expect.stringContaining("`sluice plan accounts`") as unknown,
    });
    expect(await harness.state.runs({ sync: "accounts", limit: 1 })).toEqual([]);
  });

  it("names the fields that were added, removed and mapped otherwise since the last run", async () => {
    const files = { "accounts.csv": csvOf(), "some.js": someJs };
    const harness = await Harness.open({ yaml: yamlOf({}), files });
    await (await TestRun.open(harness)).transfer();
    await harness.withYaml(yamlOf({ fields: { name: "name", code: "code", staff: "staff" } }));
    expect((await plan(harness)).out).toEqual([
      "the mapping is another than at the last run",
      "  added: account_properties.code",
      "  removed: account_properties.city",
      "  mapped otherwise: account_properties.staff",
      "reads 12 rows: would send 12, unchanged 0, filtered 0, rejected 0",
      "  changed 12 (because the mapping changed)",
      "  changed in account_properties.code 12, account_properties.staff 12, account_properties.city 8",
      expect.stringContaining("1 request, ") as unknown,
    ]);
    await harness.withYaml(yamlOf({ module: "./some.js" }));
    expect((await plan(harness)).out[0]).toBe(
      "the mapping is another than at the last run; a module does not say in which fields",
    );
  });
});
