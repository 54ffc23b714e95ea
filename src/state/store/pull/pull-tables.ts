import type { Generated } from "kysely";

import type { FlagColumn, JsonColumn } from "../column-types.ts";

/** The places of pulls. */
type PullsTable = {
  readonly target: string;
  readonly pull: string;
  readonly version: number;
  readonly begunBy: string;
  readonly queryHash: string;
  readonly writeHash: string;
  readonly isListed: FlagColumn;
  readonly ordinal: number;
  readonly walk: JsonColumn;
  readonly isAsking: FlagColumn;
  readonly isDone: FlagColumn;
  readonly steps: number;
};

type PullPagesTable = { readonly target: string; readonly pull: string; readonly page: string };

type PullDomainsTable = {
  readonly target: string;
  readonly pull: string;
  readonly ordinal: number;
  readonly domain: string;
};

type PullKeysTable = { readonly target: string; readonly pull: string; readonly key: Uint8Array };

type PullRunsTable = {
  readonly runId: string;
  readonly isContinued: FlagColumn;
  readonly domains: Generated<number>;
  readonly pages: Generated<number>;
  readonly calls: Generated<number>;
  readonly paidTwice: Generated<number>;
  readonly read: Generated<number>;
  readonly written: Generated<number>;
  readonly unchanged: Generated<number>;
  readonly missing: Generated<number>;
  readonly results: Generated<number>;
  readonly refused: Generated<number>;
  readonly repeated: Generated<number>;
  readonly domainsDone: Generated<number>;
  readonly domainsRefused: Generated<number>;
  readonly roundsDone: Generated<number>;
};

/** The tables of pulls. */
export type PullTables = {
  readonly pulls: PullsTable;
  readonly pullPages: PullPagesTable;
  readonly pullDomains: PullDomainsTable;
  readonly pullKeys: PullKeysTable;
  readonly pullRuns: PullRunsTable;
};
