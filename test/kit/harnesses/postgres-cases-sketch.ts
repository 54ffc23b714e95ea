import type { TestCase } from "../../../testing/case.ts";

/** What cases of Postgres know of the harness. */
export type Site = {
  /** The harness's role, which reads and writes its tables, and sees whose transactions are open. */
  readonly role: string;
  readonly password: string;
  /** The port of its wire to the server, on 127.0.0.1. */
  readonly port: number;
  /** The port of a server that has no TLS. */
  readonly plainPort: number;
  /** The `url` of a role that sees no transactions of others, and of one that may not connect any more. */
  readonly readerUrl: string;
  readonly barredUrl: string;
  /** The `url` of the owner of everything. */
  readonly ownerUrl: string;
  /** The server's version, as it shows it. */
  readonly version: string;
  /** The time line of its log. */
  readonly timeline: number;
  /** Whether transactions may be prepared. */
  readonly mayPrepare: boolean;
  /** Whether the server lets nobody in without a password. */
  readonly asksForPassword: boolean;
  /** The folder of the server's socket, and the port that names it; undefined where this process cannot use it. */
  readonly socket: { readonly folder: string; readonly port: number } | undefined;
  /**
   * A folder with the server's own certificate as `c` and another one as `other`; undefined where it vouches
   * for no 127.0.0.1.
   */
  readonly certificates: string | undefined;
  /** Runs statements as the owner, tables without a schema being those of `sample`; the rows of the last one. */
  run(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
};

/** A case as a table of them tells it. */
export type Sketch = Omit<TestCase, "make"> & {
  /** What makes its tables, in a schema of their own, which both roles may read, and the first may write. */
  readonly sql?: string;
  /** Members of the configuration that are not the harness's. */
  readonly from?: Readonly<Record<string, unknown>>;
  /** Done once they are made. */
  readonly afterSql?: (site: Site) => Promise<void>;
};

/** The statement that leaves nothing of a sample. */
export const dropCase = "drop schema if exists sample, a_hidden cascade";

/** Makes cases of sketches. */
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

/** A configuration that reads a `query`, and no table. */
export function querying(
  query: string,
  ...key: readonly string[]
): { readonly table: undefined; readonly query: string; readonly key: readonly string[] } {
  return { table: undefined, query, key };
}
