import type { ChildProcess } from "node:child_process";
import { createReadStream } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { isDeepStrictEqual } from "node:util";

import { Client, Connection } from "@temporalio/client";
import { parse } from "csv-parse";
import { request } from "undici";
import { z } from "zod";

import { bin } from "./built.ts";
import { end, firstJson, linesOf, start } from "./child.ts";
import { runSync, type WholeRun } from "./whole-run.ts";
import { accountMapping } from "./workloads/account-mapping.ts";
import { oracleParseOptions, oracleRecord, type OracleRecord } from "./workloads/accounts.ts";

/** The API key for the sandbox, which accepts any. */
export const benchApiKey = "bench-key";

/** The project's own request limit per second: far more than it needs, so that its pace is not measured. */
export const requestsPerSecond = 1_000;

/** A project in an empty folder, with a Temporal of its own that runs until `close`. */
export class BenchProject {
  readonly folder: string;
  readonly #program: string;
  readonly #temporal: ChildProcess;
  readonly #address: string;

  private constructor(parts: {
    folder: string;
    program: string;
    temporal: ChildProcess;
    address: string;
  }) {
    this.folder = parts.folder;
    this.#program = parts.program;
    this.#temporal = parts.temporal;
    this.#address = parts.address;
  }

  /**
   * Writes the configuration, with a connection and the sync `accounts` from it, and starts Temporal, with its
   * histories in the project's state folder. `program` is the command line that runs it.
   */
  static async open(
    folder: string,
    connection: object,
    how: { readonly from?: object; readonly program?: string } = {},
  ): Promise<BenchProject> {
    const { from = {}, program = bin } = how;
    await mkdir(folder);
    const config = {
      version: 1,
      api: {
        base_url: "sandbox",
        legacy_base_url: "sandbox",
        api_key: benchApiKey,
        requests_per_second: requestsPerSecond,
      },
      connections: { source: connection },
      syncs: {
        accounts: {
          from: { connection: "source", ...from },
          stream: "account",
          record: accountMapping,
        },
      },
    };
    // JSON is YAML.
    await writeFile(join(folder, "sluice.yaml"), JSON.stringify(config, undefined, 2));
    const temporal = start([program, "temporal", "start", "--json"], folder);
    const { address } = z.object({ address: z.string() }).parse(await firstJson(temporal));
    return new BenchProject({ folder, program, temporal, address });
  }

  /** Runs the sync as a user does, with a sandbox that it starts itself. */
  async run(): Promise<WholeRun> {
    return await runSync(this.folder, "accounts", { program: this.#program });
  }

  /** Bytes of the largest history, as counted by Temporal itself. */
  async largestHistoryBytes(): Promise<number> {
    const connection = await Connection.connect({ address: this.#address });
    try {
      const { workflow } = new Client({ connection });
      let largest = 0;
      for await (const { workflowId, runId } of workflow.list()) {
        const { historySize = 0 } = await workflow.getHandle(workflowId, runId).describe();
        largest = Math.max(largest, historySize);
      }
      return largest;
    } finally {
      await connection.close();
    }
  }

  /** See `compareRecordsAt`; starts a sandbox for it. */
  async compareRecords(csv: string): Promise<number> {
    const args = [this.#program, "sandbox", "--port", "0", "--data", ".sluice/sandbox", "--json"];
    const sandbox = start(args, this.folder);
    try {
      const { address } = z.object({ address: z.string() }).parse(await firstJson(sandbox));
      return await compareRecordsAt(address, csv);
    } finally {
      await end(sandbox);
    }
  }

  async close(): Promise<void> {
    await end(this.#temporal);
  }
}

/**
 * Compares the records of a sandbox with the oracle's reading of a CSV that has the same rows in the same order,
 * record by record, as values: the order of members does not count.
 * @returns how many are the same. @throws at the first that differs, or if one side has more.
 */
export async function compareRecordsAt(address: string, csv: string): Promise<number> {
  // The sandbox answers once it has loaded its records: ten million take it minutes.
  const waits = { headersTimeout: 0, bodyTimeout: 0 };
  const { statusCode, body } = await request(`${address}/_sandbox/records?stream=account`, waits);
  if (statusCode !== 200) throw new Error(`the sandbox answers ${statusCode}, and no records`);
  const rows = createReadStream(csv).pipe(parse(oracleParseOptions));
  return await countEqual(rows, body);
}

const shown = z.object({ record: z.unknown() });

/** Whether a line of the sandbox shows this record. Equal texts are not parsed: ten million would take minutes. */
function isShown(record: OracleRecord, line: string): boolean {
  const text = JSON.stringify(record);
  const head = '{"stream":"account","record":';
  if (line.startsWith(head) && line.startsWith(`${text},"file_key":`, head.length)) return true;
  return isDeepStrictEqual(shown.parse(JSON.parse(line)).record, record);
}

async function countEqual(
  rows: AsyncIterable<Record<string, string>>,
  body: Readable,
): Promise<number> {
  const lines = linesOf({ stdout: body })[Symbol.asyncIterator]();
  let count = 0;
  for await (const row of rows) {
    const next: IteratorResult<string, unknown> = await lines.next();
    if (!isShown(oracleRecord(row), next.done === true ? "{}" : next.value)) {
      throw new Error(`record ${count + 1} in the sandbox is not the oracle's`);
    }
    count += 1;
  }
  if ((await lines.next()).done !== true) throw new Error("the sandbox holds more records");
  return count;
}
