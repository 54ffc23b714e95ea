import { describe, expect, it } from "vitest";

import { sources } from "../../../../connectors/registry.ts";
import { exitCodes } from "../../../../src/cli/output/exit-code.ts";
import { variablesIn } from "../../../../src/config/document/interpolate.ts";
import { configJsonSchema } from "../../../../src/config/schema/json-schema.ts";
import { canariesIn } from "../../../support/canaries.ts";
import { postgres } from "../../../support/postgres/postgres.ts";
import { Beginning } from "./beginning.ts";

const customers = `id,company,website,headcount,phone
1001,Blue Harbour,https://blueharbour.example/about,42,007
1002,"Müller, GmbH",mueller.example,,1
1003,Acme,acme.example,12,3
1004,Elf,elf.example,eleven,3
`;

const made = ["sluice.yaml", "sluice.schema.json", ".env.example"];
const csv = ["init", "--connector", "csv", "--path"];
const database = ["init", "--connector", "postgres", "--url-env"];

describe("sluice init", () => {
  it("writes a configuration for a file that is valid and can be previewed", async () => {
    const project = await Beginning.make({ "customers.csv": customers });
    const { printed, said } = await project.run(...csv, "./customers.csv", "--stream", "account");
    expect(said).toBe(`wrote ${[...made, "tests/customers.yaml", ".gitignore"].join(", ")}`);
    expect(printed).toBe(
      "Next:\n  sluice validate\n  sluice preview customers\n  sluice test\n  sluice run customers",
    );
    const config = await project.read("sluice.yaml");
    expect(config.slice(config.indexOf("connections:"))).toBe(`connections:
  files:
    connector: csv
    # Relative to this file; a pattern such as ./exports/*.csv reads several.
    path: ./customers.csv
syncs:
  # What \`sluice init\` made of the columns of ./customers.csv; \`sluice preview customers\` shows what comes of it:
  # - account_id is read from what names a row: it never changes and is never used twice
  # - domain is read from the column that is called most like it
  # - headcount counts people: a row without a whole number there is refused
  # - every other column is sent in account_properties: remove what the service need not know
  customers:
    from: files
    stream: account
    record:
      account_id: id
      domain: { column: website, as: domain }
      account_properties:
        name: company
        employees: { column: headcount, as: integer }
        phone: phone
    # When it runs by itself, from \`sluice schedule apply\` on:
    # schedule: { at: "02:30", time_zone: Europe/Paris }
`);
    expect((await project.run("validate")).printed).toContain("syncs customers");
    const preview = await project.run("preview", "customers");
    expect(preview.code).toBe(exitCodes.doneWithRejects);
    expect(preview.printed.split("\n")[0]).toBe(
      '{"type":"account","account_id":"1001","domain":"blueharbour.example","account_properties":{"name":"Blue ' +
        'Harbour","employees":42,"phone":"007"}}',
    );
    expect(preview.said).toContain("./customers.csv:5: rejected: account_properties.employees");
  });

  it("takes a column whose name looks like a variable for a column", async () => {
    const text = "id,website,$REVENUE_USD\n1,blueharbour.example,12\n";
    const project = await Beginning.make({ $OUR_FILE: text });
    await project.run(...csv, "$OUR_FILE", "--stream", "account");
    expect((await project.run("validate")).printed).toContain("is fine");
    const { printed } = await project.run("preview", "our_file");
    expect(printed).toContain('"account_properties":{"$REVENUE_USD":12}');
  });

  it("writes nothing where a file has the name of the folder of tests", async () => {
    const project = await Beginning.make({ "customers.csv": customers, tests: "" });
    const options = ["./customers.csv", "--stream", "account"];
    const refused = [2, "cannot make the folder tests: a file has this name move it away"];
    expect(await project.refusal(...csv, ...options)).toEqual(refused);
    expect(await project.refusal(...csv, ...options, "--force")).toEqual(refused);
    expect(await project.files()).toEqual(["customers.csv"]);
  });

  it("writes the schema, every variable and what git must not see", async () => {
    const project = await Beginning.make({ "a.csv": customers, ".gitignore": "dist\n.env\n" });
    await project.run("init", "a.csv");
    const config = await project.read("sluice.yaml");
    expect(config).toMatch(/^# yaml-language-server: \$schema=\.\/sluice\.schema\.json\n/);
    const schema: unknown = JSON.parse(await project.read("sluice.schema.json"));
    expect(schema).toEqual(JSON.parse(JSON.stringify(configJsonSchema(sources))));
    const example = await project.read(".env.example");
    const named = [...example.matchAll(/^(\w+)=$/gm)].map(([, name]) => name);
    expect(named).toEqual(variablesIn(config));
    expect(await project.read(".gitignore")).toBe("dist\n.env\n.sluice/\n");
  });

  it("writes a configuration for a table that is valid and can be previewed", async () => {
    const { url, query } = await postgres();
    await query(`
      create schema crm;
      create table crm.companies (id bigint primary key, website text, company_name text, headcount int,
        photo bytea, updated_at timestamptz not null);
      insert into crm.companies values (7, 'WWW.Acme.example', 'Acme', 12, null, now())`);
    const project = await Beginning.make({}, { CRM_DATABASE_URL: url });
    const schedule = ["--schedule", "30 2 * * 1-5", "--time-zone", "Europe/Paris"];
    await project.run(...database, "CRM_DATABASE_URL", "--table", "crm.companies", ...schedule);
    const config = await project.read("sluice.yaml");
    expect(config.slice(config.indexOf("connections:"))).toBe(`connections:
  database:
    connector: postgres
    # The URL holds a password, so it is in the environment or in .env.
    url: \${CRM_DATABASE_URL}
syncs:
  # What \`sluice init\` made of the columns of crm.companies; \`sluice preview companies\` shows what comes of it:
  # - a row is taken for an account
  # - account_id is read from what names a row: it never changes and is never used twice
  # - domain is read from the column that is called most like it
  # - headcount counts people: a row without a whole number there is refused
  # - changed_by must be set by every change of a row; without it every run reads every row
  # - left out, because a query must convert it: photo (bytea)
  # - every other column is sent in account_properties: remove what the service need not know
  companies:
    from: { connection: database, table: crm.companies, changed_by: { column: updated_at } }
    stream: account
    record:
      account_id: id
      domain: { column: website, as: domain }
      account_properties:
        name: company_name
        employees: { column: headcount, as: integer }
    # When it runs by itself, from \`sluice schedule apply\` on:
    schedule: { cron: "30 2 * * 1-5", time_zone: Europe/Paris }
    # A run beyond one of these waits for \`sluice approve\`, before anything of it leaves:
    hold_if: { rejected_above: 2% }
`);
    expect(await project.read(".env.example")).toContain("\nCRM_DATABASE_URL=\n");
    for (const name of await project.files()) {
      expect([name, canariesIn(await project.read(name))]).toEqual([name, []]);
    }
    expect((await project.run("validate")).code).toBe(exitCodes.done);
    expect(await project.run("preview", "companies")).toMatchObject({
      code: exitCodes.done,
      printed:
        '{"type":"account","account_id":"7","domain":"acme.example",' +
        '"account_properties":{"name":"Acme","employees":12}}',
    });
  });

  it("reads a view by the column that was said to name its rows", async () => {
    const { url, query } = await postgres();
    await query("create view people as select 'p1' as number, 'ann@acme.example' as mail");
    const project = await Beginning.make({ ".env": `DATABASE_URL=${url}\n` });
    const args = [...database, "DATABASE_URL", "--stream", "contact", "--json"];
    expect(await project.refusal(...args)).toEqual([
      exitCodes.usage,
      expect.stringMatching(/^--id, --email are missing: .* one of: number, mail$/),
    ]);
    const { printed } = await project.run(...args, "--id", "number", "--email", "mail");
    expect(JSON.parse(printed)).toEqual({
      written: [...made, "tests/people.yaml", ".gitignore"],
      sync: "people",
      next: ["sluice validate", "sluice preview people", "sluice test", "sluice run people"],
    });
    expect(await project.read("sluice.yaml")).toContain(
      "from: { connection: database, table: public.people, key: [ number ] }",
    );
    expect(await project.run("preview", "people")).toMatchObject({
      code: exitCodes.done,
      printed:
        '{"type":"contact","contact_id":"p1","email":"ann@acme.example","contact_properties":{}}',
    });
  });

  it("takes columns and paths of any name", async () => {
    const odd = '"Record ID","Company Domain Name","${HOME}: x","#"\n1,a.example,b,c\n';
    const project = await Beginning.make({ "${a} #'b.csv": odd, "other.csv": "id,url\n1,a.b\n" });
    await project.run(...csv, "*.csv", "--table", "${a} #'b.csv");
    await project.run("validate");
    expect((await project.run("preview", "a_b")).printed).toBe(
      '{"type":"account","account_id":"1","domain":"a.example","account_properties":{"${HOME}: x":"b","#":"c"}}',
    );
    await project.run(...csv, "${a} #'b.csv", "--force");
    expect((await project.run("preview", "a_b")).printed).toContain('"a.example"');
  });

  it("overwrites nothing unless it is told to, and names what is there", async () => {
    const project = await Beginning.make({ "a.csv": customers, "sluice.yaml": "mine" });
    expect(await project.refusal(...csv, "a.csv")).toEqual([
      exitCodes.usage,
      "sluice.yaml is here already --force replaces what is here.",
    ]);
    expect(await project.files()).toEqual(["a.csv", "sluice.yaml"]);
    expect(await project.read("sluice.yaml")).toBe("mine");
    await project.run(...csv, "a.csv", "--force");
    expect((await project.run("validate")).code).toBe(exitCodes.done);
  });

  it.each<[string, readonly string[], string]>([
    ["no connector", [], "--connector is missing: Where the rows are for files `sluice init"],
    [
      "no connector of the name",
      ["--connector", "cvs"],
      'no connector is called "cvs" (did you mean "csv"?) there are: csv, postgres',
    ],
    ["no path", csv.slice(1, 3), "--path is missing: Path of the file, or a pattern such as"],
    ["no such file", [...csv.slice(1), "b.csv"], "b.csv does not exist The folder holds"],
    ["an empty file", [...csv.slice(1), "empty.csv"], "empty.csv has no header line: it is empty"],
    [
      "a file without header",
      [...csv.slice(1), "rows.csv"],
      'rows.csv: the first line looks like a row, not like names of columns: "1"',
    ],
    ["nothing that names a row", [...csv.slice(1), "names.csv"], "--id is missing: Which column"],
    [
      "files that differ",
      [...csv.slice(1), "[an]*.csv"],
      "--table is missing: Which file; their columns differ one of: a.csv, names.csv",
    ],
    [
      "no such column",
      [...csv.slice(1), "a.csv", "--id", "idd"],
      'no column is called "idd" (did you mean "id"?)',
    ],
    [
      "events",
      [...csv.slice(1), "a.csv", "--stream", "account_event"],
      'no stream to begin with is "account_event"',
    ],
    [
      "an option of another connector",
      [...csv.slice(1), "a.csv", "--url-env", "X"],
      "--url-env: nothing here asks for it",
    ],
    [
      "no time",
      [...csv.slice(1), "a.csv", "--schedule", "24:00"],
      'schedule: must be a time of day such as "02:30"',
    ],
    [
      "no time zone",
      [...csv.slice(1), "a.csv", "--schedule", "02:30", "--time-zone", "Paris"],
      "schedule: no time zone has this name",
    ],
    ["a variable that is not set", [...database.slice(1), "NONE"], "variable NONE is not set"],
    ["a variable without a name", ["--url-env", ""], "the name of a variable is letters"],
    [
      "a URL in place of its variable",
      [...database.slice(1), "postgres://u:sesame@h/d"],
      "the name of a variable is letters, digits and _",
    ],
    ["no URL", [...database.slice(1), "WRONG"], "WRONG: not a URL such as postgres://user"],
    ["a URL that leads nowhere", [...database.slice(1), "NOWHERE"], "postgres d at 127.0.0.1:1"],
  ])("says what is wrong with %s, and writes nothing", async (_, args, text) => {
    const files = {
      "a.csv": customers,
      "empty.csv": "",
      "names.csv": "name,domain\nx,a.example\n",
      "rows.csv": "1,acme.example,Acme\n2,b.example,B\n",
    };
    const urls = { WRONG: "sesame", NOWHERE: "postgres://u:sesame@127.0.0.1:1/d" };
    const project = await Beginning.make(files, urls);
    const [code, said] = await project.refusal("init", ...args);
    expect(said).toContain(text);
    expect(said).not.toContain("sesame");
    expect(code).toBe(exitCodes.usage);
    expect(await project.files()).toEqual(Object.keys(files));
  });
});
