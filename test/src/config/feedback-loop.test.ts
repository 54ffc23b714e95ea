import { describe, expect, it } from "vitest";

import { load, problemsOf } from "./support.ts";

type Parts = {
  readonly from?: string;
  readonly sync?: string;
  readonly record?: string;
  readonly target?: string;
};

const toCompanies =
  "{ connection: crm, table: crm.companies, insert: false, key: { id: source_system.id }, " +
  "set: { fit_score: scores.customer_fit.score } }";

/** A sync that reads a table and a pull that writes one; the test decides what they have in common. */
function yamlOf({ from, sync = "", record, target }: Parts): string {
  return `version: 1
api: { api_key: abc123 }
connections:
  crm: { connector: table, url: u }
  other: { connector: table, url: u }
syncs:
  companies:
    from: { connection: crm, ${from ?? "table: crm.companies"} }
    stream: account
    record: ${record ?? "{ account_id: id, domain: site, account_properties: { fit: fit_score } }"}
${sync}pulls:
  scores:
    accounts: {}
    write_back: ${target ?? toCompanies}
`;
}

/** A sync and a pull of one table, each by a connection of its own. */
function apart(read: string, written: string): string {
  const target =
    "{ connection: other, table: crm.companies, insert: false, key: { id: mk_id }, set: { fit_score: name } }";
  return yamlOf({ target })
    .replace("crm: { connector: table, url: u }", `crm: { connector: table, url: "${read}" }`)
    .replace(
      "other: { connector: table, url: u }",
      `other: { connector: table, url: "${written}" }`,
    );
}

const writes =
  "which pull scores writes; let the pull write another table, or set allow_feedback_loop: true here";

describe("echoMistakes", () => {
  it("finds a sync that reads a column which a pull writes", async () => {
    expect(await problemsOf(yamlOf({}))).toEqual([`10:5: reads fit_score, ${writes}`]);
  });

  it("finds one that reads the key of rows which a pull makes", async () => {
    const record = "{ account_id: id, domain: site, account_properties: {} }";
    const target =
      "{ connection: crm, table: crm.companies, key: { id: source_system.id }, set: { fit: name } }";
    expect(await problemsOf(yamlOf({ record, target }))).toEqual([
      `10:5: reads id, ${writes}, or insert: false there, so that it makes no rows`,
    ]);
  });

  it("sees that two logins are of one database", async () => {
    const yaml = apart(
      "postgres://reader:a@db.example/crm",
      "postgres://writer:b@db.example:5432/crm?sslmode=require",
    );
    expect(await problemsOf(yaml)).toEqual([`10:5: reads fit_score, ${writes}`]);
  });

  it.each([
    ["postgres://reader:a@db.example/crm", "postgres://writer:b@other.example/crm"],
    ["postgres://reader:a@db.example/crm", "postgres://reader:a@db.example/crm_us"],
    ["postgres://a@localhost/crm?host=/run/a", "postgres://a@localhost/crm?host=/run/b"],
  ])("takes %s and %s for two databases", async (read, written) => {
    const { pulls } = await load({ files: { "sluice.yaml": apart(read, written) } });
    expect([...pulls.keys()]).toEqual(["scores"]);
  });

  it.each([
    ["it says so", { sync: "    allow_feedback_loop: true\n" }],
    [
      "it reads another column",
      { record: "{ account_id: id, domain: site, account_properties: {} }" },
    ],
    ["it reads another table", { from: "table: crm.contacts" }],
    [
      "another connection is written",
      {
        target:
          "{ connection: other, table: crm.companies, key: { id: mk_id }, set: { fit_score: name } }",
      },
    ],
    ["its query reads another table", { from: "query: select * from crm.contacts" }],
  ])("lets a sync be when %s", async (_, parts) => {
    const { pulls } = await load({ files: { "sluice.yaml": yamlOf(parts) } });
    expect([...pulls.keys()]).toEqual(["scores"]);
  });

  it.each([
    ["the table of the schema public by its bare name", "table: companies", "public.companies"],
    ["quotes", `table: '"crm"."companies"'`, "crm.companies"],
    ["quotes around one part", "table: companies", `'public."companies"'`],
    ["a query that names the table", "query: select * from crm.companies", "crm.companies"],
  ])("sees through %s", async (_, from, table) => {
    const target = `{ connection: crm, table: ${table}, insert: false, key: { id: mk_id }, set: { fit_score: name } }`;
    expect(await problemsOf(yamlOf({ from, target }))).toEqual([
      `10:5: reads fit_score, ${writes}`,
    ]);
  });
});
