import type { TestCase } from "../../../testing/case.ts";

/** What cases of Postgres know about the harness. */
export type Site = {
  /** The harness's role, which reads and writes its tables, and sees whose transactions are open. */
  readonly role: string;
  readonly password: string;
  /** The port of its wire to the server, on 127.0.0.1. */
  readonly port: number;
  /** The port of a server that has no TLS. */
  readonly plainPort: number;
  /** The `url` of a role that cannot see the transactions of others, and of one that may no longer connect. */
  readonly readerUrl: string;
  readonly barredUrl: string;
  /** The `url` of the owner of everything. */
  readonly ownerUrl: string;
  /** The server's version, as it shows it. */
  readonly version: string;
  /** The timeline of its log. */
  readonly timeline: number;
  /** Whether prepared transactions are allowed. */
  readonly mayPrepare: boolean;
  /** Whether the server requires a password from everyone. */
  readonly asksForPassword: boolean;
  /** The folder of the server's socket, and the port that names it; undefined if this process cannot use it. */
  readonly socket: { readonly folder: string; readonly port: number } | undefined;
  /**
   * A folder with the server's own certificate as `c` and another one as `other`; undefined if it is not valid for
   * 127.0.0.1.
   */
  readonly certificates: string | undefined;
  /** Runs statements as the owner; tables without a schema are those of `sample`. Returns the rows of the last one. */
  run(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
};

/** A case in short form. */
export type Sketch = Omit<TestCase, "make"> & {
  /** The SQL that makes its tables, in a schema of their own, which both roles may read, and the first may write. */
  readonly sql?: string;
  /** Members of the configuration that differ from the harness's. */
  readonly from?: Readonly<Record<string, unknown>>;
  /** Runs once they are made. */
  readonly afterSql?: (site: Site) => Promise<void>;
};

/** The statement that removes everything of a sample. */
export const dropCase = "drop schema if exists sample, a_hidden cascade";

/** Makes cases from sketches. */
export function casesOf(site: Site, sketches: readonly Sketch[]): readonly TestCase[] {
  const reader = new URL(site.readerUrl).username;
  const anew = `${dropCase}; create schema sample;
    grant usage on schema sample to ${site.role}, ${reader};
    alter default privileges in schema sample grant select, insert, update on tables to ${site.role};
    alter default privileges in schema sample grant select on tables to ${reader}`;
  return sketches.map(({ sql = "", from = {}, afterSql, ...testCase }) => ({
    ...testCase,
    make: async () => {
      await site.run(`${anew}; ${sql}`);
      await afterSql?.(site);
      return { changed_by: undefined, ...from };
    },
  }));
}

/** A configuration that reads a `query` instead of a table. */
export function querying(
  query: string,
  ...key: readonly string[]
): { readonly table: undefined; readonly query: string; readonly key: readonly string[] } {
  return { table: undefined, query, key };
}
