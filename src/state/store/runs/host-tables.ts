import type { Generated } from "kysely";

/** The processes that work, and when each last said so. */
type HostsTable = {
  readonly hostId: string;
  readonly process: string;
  readonly temporalId: string;
  readonly lastBeat: number;
  readonly version: string;
  readonly name: Generated<string>;
  readonly command: Generated<string>;
  readonly configs: Generated<string>;
  readonly folder: Generated<string>;
};

/** Where each lane of a run works; a run that is no backfill has one. */
type RunHostsTable = { readonly runId: string; readonly lane: number; readonly hostId: string };

/** The tables of hosts. */
export type HostTables = { readonly hosts: HostsTable; readonly runHosts: RunHostsTable };
