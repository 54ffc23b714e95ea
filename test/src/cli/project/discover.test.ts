import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { Command } from "commander";
import { describe, expect, it } from "vitest";

import { sources } from "../../../../connectors/registry.ts";
import { registerDiscover } from "../../../../src/cli/project/discover.ts";
import type { Config } from "../../../../src/config/config.ts";
import { readEnvironment } from "../../../../src/config/environment.ts";
import { loadConfig } from "../../../../src/config/load.ts";
import { ConfigError } from "../../../../src/errors.ts";
import { postgres } from "../../../support/postgres/postgres.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";

const heading = (connection: string): string =>
  `version: 1\napi: { api_key: test-key }\nconnections:\n  crm: ${connection}\n`;

/** Runs the command in a folder. Returns its output. */
async function discover(
  cwd: string,
  ...args: string[]
): Promise<{ readonly printed: string; readonly said: readonly string[] }> {
  const [printed, said]: [string[], string[]] = [[], []];
  const program = new Command().exitOverride().configureOutput({ writeErr: () => undefined });
  registerDiscover(program, {
    cwd,
    environment: readEnvironment(),
    print: (text) => void printed.push(text),
    say: (text) => void said.push(text),
    exit: () => undefined,
  });
  await program.parseAsync(["discover", ...args], { from: "user" });
  return { printed: printed.join("\n"), said };
}

async function project(connection: string): Promise<string> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "sluice.yaml"), `${heading(connection)}syncs: {}\n`);
  return folder;
}

/** Pastes the suggested syncs into the configuration. */
async function pasted(folder: string, connection: string, syncs: string): Promise<Config> {
  await writeFile(join(folder, "sluice.yaml"), `${heading(connection)}${syncs}\n`);
  return await loadConfig({ path: undefined, cwd: folder, env: {}, connectors: sources });
}

describe("sluice discover", () => {
  it("prints syncs for tables that can be pasted as they are", async () => {
    const { url, query } = await postgres();
    await query(`
      create schema crm; create schema old;
      create table crm.companies (id bigint primary key, website text not null, name text, staff int,
        open boolean, founded date, tags text[], seen timestamp, photo bytea, wait interval, address inet, big
        bigint, score numeric, fit numeric(5,2), meta jsonb, ids bigint[], updated_at timestamptz not null);
      create table crm.contacts (company int, number int, e_mail text not null, born timestamptz,
        primary key (company, number));
      create table old.companies (id int primary key, domain text)`);
    const connection = `{ connector: postgres, url: "${url}" }`;
    const folder = await project(connection);
    const { printed, said } = await discover(folder, "crm");
    expect(printed).toBe(`syncs:
  # crm.companies: 17 columns, key id, reads what changed
  # left out, because a query must convert it: photo (bytea)
  companies:
    from: { connection: crm, table: crm.companies, changed_by: { column: updated_at } }
    stream: account
    record:
      account_id: id
      domain: { column: website, as: domain }
      account_properties:
        name: name
        staff: { column: staff, as: number }
        open: { column: open, as: boolean }
        founded: { column: founded, as: date }
        tags: { column: tags, as: json }
        seen: seen
        wait: wait
        address: address
        big: big
        score: score
        fit: { column: fit, as: number }
        meta: meta
        ids: ids
  # crm.contacts: 4 columns, key company, number, reads everything in each run
  contacts:
    from: { connection: crm, table: crm.contacts }
    stream: contact
    record:
      contact_id: { template: "{company}-{number}" }
      email: { column: e_mail, as: email }
      contact_properties:
        company: { column: company, as: number }
        number: { column: number, as: number }
        born: { column: born, as: datetime }
  # old.companies: 2 columns, key id, reads everything in each run
  companies_2:
    from: { connection: crm, table: old.companies }
    stream: account
    record:
      account_id: id
      domain: { column: domain, as: domain }
      account_properties: {}`);
    expect(said).toEqual([]);
    const config = await pasted(folder, connection, printed);
    expect([...config.syncs.keys()]).toEqual(["companies", "contacts", "companies_2"]);
  });

  it("gives a sync no name that is in the file already", async () => {
    const folder = await project('{ connector: csv, path: "*.csv" }');
    await writeFile(join(folder, "a.csv"), "id,site_url\n1,x.example\n");
    await writeFile(join(folder, "b.csv"), "id,email\n1,a@b.example\n");
    const own = "syncs:\n  a:\n    from: { connection: crm, path: a.csv }\n    stream: account\n";
    const record = "    record: { account_id: id, domain: site_url, account_properties: {} }\n";
    const connection = '{ connector: csv, path: "*.csv" }';
    await pasted(folder, connection, `${own}${record}`);
    const { printed } = await discover(folder, "crm");
    expect(printed.match(/^ {2}\w+:/gm)).toEqual(["  a_2:", "  b:"]);
    const below = printed.replace("syncs:\n", "");
    const config = await pasted(folder, connection, `${own}${record}${below}`);
    expect([...config.syncs.keys()]).toEqual(["a", "a_2", "b"]);
  });

  it("names what a person must settle, and leaves it out", async () => {
    const folder = await project("{ connector: csv, path: ./Old Export-*.csv }");
    await writeFile(join(folder, "Old Export-1.csv"), "name,size\nAcme,3\n");
    const { printed } = await discover(folder, "crm");
    expect(printed).toBe(`syncs:
  # ./Old Export-*.csv: 2 columns, no key, reads everything in each run
  # account_id: no column is known to name a row; say which does
  # domain: no column looks like it; say which holds it
  old_export:
    from: crm
    stream: account
    record:
      account_properties:
        name: name
        size: { column: size, as: number }`);
    // The configuration reports it too, with its line.
    const config = pasted(folder, "{ connector: csv, path: a.csv }", printed);
    await expect(config).rejects.toThrow(/account_id/);
  });

  it("prints one JSON object for each with --json, at most --limit", async () => {
    const folder = await project('{ connector: csv, path: "*.csv" }');
    await writeFile(join(folder, "a.csv"), "id,site_url\n1,x.example\n");
    await writeFile(join(folder, "b.csv"), "id,email\n1,a@b.example\n");
    const { printed, said } = await discover(folder, "crm", "--json", "--limit", "1");
    expect(JSON.parse(printed)).toEqual({
      name: "a.csv",
      from: { path: "a.csv" },
      columns: [
        { name: "id", type: "string" },
        { name: "site_url", type: "string" },
      ],
      key: ["id"],
      suggested: {
        name: "a",
        from: { connection: "crm", path: "a.csv" },
        stream: "account",
        record: {
          account_id: "id",
          domain: { column: "site_url", as: "domain" },
          account_properties: {},
        },
      },
      notes: [],
    });
    expect(said).toEqual(["there are more than 1: --limit"]);
    expect((await discover(folder, "crm", "--json", "--limit", "2")).said).toEqual([]);
  });

  it("says so when there is nothing, and no such connection", async () => {
    const { url } = await postgres();
    const folder = await project(`{ connector: postgres, url: "${url}" }`);
    const { username, pathname } = new URL(url);
    await expect(discover(folder, "crm")).rejects.toMatchObject({
      message: `role ${username} may read no table of database ${pathname.slice(1)}`,
      hint: expect.stringContaining(`grant select on all tables in schema public to `) as unknown,
    });
    await expect(discover(folder, "cmr")).rejects.toThrow(ConfigError);
    await expect(discover(folder, "cmr")).rejects.toThrow('did you mean "crm"');
  });
});
