import { z } from "zod";

import { postgresProgram, runSql } from "../../test/support/postgres/postgres-cluster.ts";
import { run } from "../child.ts";

/** A table of made-up accounts, with the columns and roughly the values of README.md's CSV, on a server of its own. */
export type PostgresAccounts = { readonly url: string; readonly rows: number };

/** The `from` of the table. The overlap reaches back before the first row, so every run reads every row. */
export const fromAccounts = {
  table: "accounts",
  changed_by: { column: "updated_at", overlap: "3650d" },
} as const;

/** The columns as they are, which is also what the connector reads. */
export const asTheyAre = "*";

/** The columns as the service gets them, for the oracle: the server writes times, to the microsecond. */
export const asSent = `id, domain, name, industry, employees, country, city, founded_year, annual_revenue,
  funding_stage, phone, owner_email, description,
  to_char(updated_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as updated_at`;

/**
 * Each time is shared by ten rows, and the times come in random order: the table was not written in the order in
 * which it is read.
 */
const makeTable = (rows: number): string => `
  create table accounts as select
    n as id,
    'c' || n % (${rows} * 3 / 4 + 1) || '.example' as domain,
    (array['Müller & Sons', 'Acme, Inc.', 'Société "Lumière"', 'Nordwind'])[1 + n % 4] || ' ' || n as name,
    (array['Software', 'Retail, wholesale', 'R&D', 'Logistics', 'Health'])[1 + n % 5] as industry,
    case when n % 16 > 0 then 2 + n * 31 % 97159 end as employees,
    (array['France', 'Côte d’Ivoire', 'Korea, Republic of', 'Germany', 'Brazil'])[1 + n % 5] as country,
    (array['Austin, TX', '東京', 'São Paulo', 'Lyon', 'Oslo', 'Pune', 'Lima'])[1 + n % 7] as city,
    case when n % 5 > 0 then 1900 + n % 125 end as founded_year,
    case when n % 10 < 6 then (n::bigint * 7 % 900000) * 1000 end as annual_revenue,
    case when n % 8 > 0 then (array['seed', 'series-a', 'series-b', 'public'])[1 + n % 4] end as funding_stage,
    case when n % 2 = 0 then '+1-' || 200 + n % 700 || '-555-' || lpad((n % 10000)::text, 4, '0') end as phone,
    'owner' || n % 50 || '@c' || n % 977 || '.example' as owner_email,
    case when n % 20 < 7 then repeat('A text of some words — and a comma, too. ', 1 + n % 5)
      || case when n % 8 = 0 then E'\\nA second line.' else '' end end as description,
    timestamptz '2024-01-01 00:00:00.123456+00' + (n::bigint * 7919 % ${rows} / 10) * interval '1 second' as updated_at
  from generate_series(1, ${rows}) as n;
  alter table accounts alter id set not null, alter updated_at set not null, add primary key (id);
  create index on accounts (updated_at, id);
  vacuum analyze accounts`;

/** Makes the table. */
export async function makePostgresAccounts({ url, rows }: PostgresAccounts): Promise<void> {
  // One by one, because `vacuum` cannot run in a transaction.
  for (const statement of makeTable(rows).split(";\n")) await runSql(url, statement);
}

const usage = z.object({ seconds: z.number(), cpuSeconds: z.number() });

/**
 * Writes the rows into a CSV file with `psql \copy`, in the order in which the connector reads them.
 * @returns the cost of psql, from start to exit. @throws {Error} it did not write exactly all rows.
 */
export async function copyAccounts(
  { url, rows }: PostgresAccounts,
  { columns, file }: { readonly columns: string; readonly file: string },
): Promise<z.output<typeof usage>> {
  const select = `select ${columns} from accounts order by accounts.updated_at, id`;
  const copy = `\\copy (${select.replaceAll(/\s+/g, " ")}) to '${file}' (format csv, header)`;
  const program = postgresProgram("psql");
  const ended = await run(["--no-psqlrc", url, "--command", copy], ".", { program });
  if (ended.lastLine !== `COPY ${rows}`) throw new Error(`psql said: ${ended.lastLine}`);
  return ended;
}
