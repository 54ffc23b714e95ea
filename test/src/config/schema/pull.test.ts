import { describe, expect, it } from "vitest";

import { pullPassesMax } from "../../../../src/config/limits.ts";
import type { PullConfig } from "../../../../src/config/schema/pull.ts";
import { pageRowsMax } from "../../../../src/limits.ts";
import { changed, loadYaml, problemsOf } from "../support.ts";

const writeBack =
  "{ connection: crm, table: scores, key: { id: mk_id }, set: { fit: scores.customer_fit.score } }";

/** The sound configuration with a connection to write to and one pull, whose members begin in line 14. */
function yamlOf(...members: readonly string[]): string {
  const connection = "  crm: { connector: table, url: secret-url }\nsyncs:";
  const pull = members.map((member) => `    ${member}\n`).join("");
  return `${changed("syncs:", connection)}pulls:\n  scores:\n${pull}`;
}

async function pullOf(...members: readonly string[]): Promise<PullConfig> {
  const pull = (await loadYaml(yamlOf(...members))).pulls.get("scores");
  if (pull === undefined) throw new Error("there is no such pull");
  return pull;
}

describe("a pull", () => {
  it("has defaults for what is not said, and a last sort key of its own", async () => {
    expect(await pullOf("accounts: {}", `write_back: ${writeBack}`)).toMatchObject({
      name: "scores",
      of: "accounts",
      query: { sort: [{ sort_by: "domain", sort_order: "asc" }] },
      domainsFrom: undefined,
      pageSize: 100,
      callsMax: 10_000,
      passesMax: 1,
      rejectLimit: { rate: 0.05, rows: 100 },
      writeBack: {
        connection: "crm",
        connector: "table",
        connectorConfig: { table: "scores" },
        key: { id: "mk_id" },
        set: { fit: "scores.customer_fit.score" },
      },
      schedule: undefined,
    });
  });

  it("takes everything that the service does", async () => {
    const filters =
      "filters: [{ property: industry, operator: IN, value: [a, b] }, { property: new_one, " +
      "operator: IS_NULL, value: true }]";
    const query =
      `persons: { ${filters}, filter_logic: OR, search: words, sort: [{ sort_by: email, ` +
      "sort_order: desc }, { sort_by: name }] }";
    const pull = await pullOf(
      query,
      "page_size: 7",
      "calls_max: 3",
      `passes_max: ${pullPassesMax}`,
      `write_back: ${writeBack}`,
    );
    expect(pull).toMatchObject({
      of: "persons",
      query: {
        filters: [
          { property: "industry", operator: "IN", value: ["a", "b"] },
          { property: "new_one", operator: "IS_NULL", value: true },
        ],
        filterLogic: "OR",
        search: "words",
        sort: [
          { sort_by: "email", sort_order: "desc" },
          { sort_by: "name", sort_order: "asc" },
        ],
      },
      pageSize: 7,
      callsMax: 3,
    });
  });

  it("sends no order when an empty one is given", async () => {
    const pull = await pullOf("accounts: { sort: [] }", `write_back: ${writeBack}`);
    expect(pull.query.sort).toBeUndefined();
  });

  it("reads its domains through a connection", async () => {
    const postings = "job_postings: { domains_from: { connection: exports, column: site } }";
    const target =
      "{ connection: crm, table: jobs, insert: false, key: { url: job_opening_url }, set: { t: job_opening_title } }";
    expect(await pullOf(postings, `write_back: ${target}`)).toMatchObject({
      of: "job_postings",
      query: { sort: [{ sort_by: "event_on" }, { sort_by: "job_opening_title" }] },
      domainsFrom: { connection: "exports", column: "site", connectorConfig: { path: "./a.csv" } },
      writeBack: { connectorConfig: { table: "jobs", insert: false } },
    });
  });

  it.each([
    ["page_size: 0", "must be at least 1"],
    [`page_size: ${pageRowsMax + 1}`, `must be at most ${pageRowsMax}`],
    ["calls_max: 0", "must be at least 1"],
    ["passes_max: 0", "must be at least 1"],
    [`passes_max: ${pullPassesMax + 1}`, `must be at most ${pullPassesMax}`],
    ["call_max: 3", 'unknown member "call_max" (did you mean "calls_max"?)'],
    [
      "job_postings: { domains_from: exports }",
      "pulls one thing, not accounts and job_postings: make a pull of each",
    ],
  ])("refuses %s", async (member, message) => {
    const problems = await problemsOf(yamlOf("accounts: {}", `write_back: ${writeBack}`, member));
    expect(problems.map((problem) => problem.replace(/^\d+:\d+: /, ""))).toContain(message);
  });

  it("must say what is pulled", async () => {
    const problems = await problemsOf(yamlOf(`write_back: ${writeBack}`));
    expect(problems).toEqual(["13:3: say what is pulled: one of accounts, persons, job_postings"]);
  });

  it.each([
    [
      "accounts: { filters: [{ property: name, operator: STARTSWITH, value: A }] }",
      "14:55: must be one of IS, IS_NOT, GT, GTE, LT, LTE, IN, NOT_IN, BETWEEN, NOT_BETWEEN, " +
        "IS_NULL, IS_NOT_NULL, CONTAINS, NOT_CONTAINS, STARTS_WITH, ENDS_WITH (did you mean " +
        '"STARTS_WITH"?)',
    ],
    [
      "job_postings: { domains_from: { connection: export, column: site } }",
      '14:49: no connection has this name (did you mean "exports"?)',
    ],
    ["accounts: { sort: [{ sort_by: name, sort_order: up }] }", "14:53: must be one of asc, desc"],
  ])("refuses %s", async (query, problem) => {
    expect(await problemsOf(yamlOf(query, `write_back: ${writeBack}`))).toEqual([problem]);
  });

  it.each([
    [
      "{ connection: exports, key: { id: mk_id }, set: { n: name } }",
      "15:31: the connector file writes nothing back",
    ],
    [
      "{ connection: crm, tabel: s, key: { id: mk_id }, set: { n: name } }",
      '15:36: unknown member "tabel" (did you mean "table"?)',
    ],
    ["{ connection: crm, key: {}, set: { n: name } }", "15:36: must name a column at least"],
    [
      "{ connection: crm, key: { id: mk_id }, set: { id: name } }",
      "15:67: is part of the key, which finds the row: it cannot change",
    ],
    [
      "{ connection: crm, key: { id: mk_id }, set: { f: scores.custmer_fit.score } }",
      '15:66: no result has this member (did you mean "scores.customer_fit.score"?)',
    ],
    [
      "{ connection: crm, key: { id: mk-id }, set: { f: name } }",
      "15:47: must be a path into a result, such as scores.customer_fit.score",
    ],
  ])("refuses the write-back %s", async (target, problem) => {
    expect(await problemsOf(yamlOf("accounts: {}", `write_back: ${target}`))).toEqual([problem]);
  });

  it("lets a member through that the API document does not name", async () => {
    const target =
      "{ connection: crm, table: s, key: { id: mk_id }, set: { f: something.quite.new } }";
    const { writeBack: written } = await pullOf("accounts: {}", `write_back: ${target}`);
    expect(written.set).toEqual({ f: "something.quite.new" });
  });

  it("may not be called as a sync is", async () => {
    const yaml = yamlOf("accounts: {}", `write_back: ${writeBack}`).replace(
      "  scores:\n",
      "  accounts:\n",
    );
    expect(await problemsOf(yaml)).toEqual([
      "13:3: a sync has this name already: runs and schedules are named by it",
    ]);
  });

  it("tells another query, another write-back and another ceiling apart, and no secret", async () => {
    const base = ["accounts: {}", `write_back: ${writeBack}`];
    const one = await pullOf(...base);
    const schedule = await pullOf(...base, 'schedule: { at: "04:00", time_zone: UTC }');
    expect(schedule.configHash).toBe(one.configHash);
    const ceiling = await pullOf(...base, "calls_max: 5");
    expect([ceiling.queryHash, ceiling.writeHash]).toEqual([one.queryHash, one.writeHash]);
    expect(ceiling.configHash).not.toBe(one.configHash);
    const query = await pullOf("accounts: { search: x }", `write_back: ${writeBack}`);
    expect(query.queryHash).not.toBe(one.queryHash);
    expect(query.writeHash).toBe(one.writeHash);
    const target = await pullOf("accounts: {}", `write_back: ${writeBack.replace("fit:", "f:")}`);
    expect(target.queryHash).toBe(one.queryHash);
    expect(target.writeHash).not.toBe(one.writeHash);
    const slow = yamlOf(...base).replace(
      "url: secret-url",
      "url: secret-url, statement_timeout: 1h, tls: off",
    );
    const reached = (await loadYaml(slow)).pulls.get("scores");
    expect([reached?.queryHash, reached?.writeHash]).toEqual([one.queryHash, one.writeHash]);
    expect(reached?.configHash).not.toBe(one.configHash);
    const secret = await loadYaml(yamlOf(...base).replace("secret-url", "another"));
    expect(secret.pulls.get("scores")?.configHash).toBe(one.configHash);
  });
});
