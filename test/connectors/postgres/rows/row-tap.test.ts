import { once } from "node:events";
import { PassThrough } from "node:stream";

import { afterEach, describe, expect, it, onTestFinished, vi } from "vitest";

import { silenceMs } from "../../../../connectors/postgres/limits.ts";
import { readPostgres } from "../../../../connectors/postgres/read.ts";
import { RawRows } from "../../../../connectors/postgres/rows/raw-rows.ts";
import { RowTap } from "../../../../connectors/postgres/rows/row-tap.ts";
import { RetryLater } from "../../../../src/errors.ts";
import { Wire, type Cutter } from "../../../kit/harnesses/wire.ts";
import { ownPostgres, postgres } from "../../../support/postgres/postgres.ts";
import { until } from "../../../support/process/process.ts";
import { numbers } from "../../../support/sequences.ts";
import { columnIn, pagesOf, readRequestOf } from "../support.ts";

/** A server through a wire whose answers pass through a cutter. */
async function wiredTo(url: string, cutter: () => Cutter): Promise<string> {
  const wire = await Wire.to({ host: "127.0.0.1", port: Number(new URL(url).port) });
  onTestFinished(async () => await wire.close());
  wire.cutWith(cutter);
  return Object.assign(new URL(url), { host: `127.0.0.1:${wire.port}` }).href;
}

/** Splits the answers into messages, and drops those that `keeps` rejects. */
function messages(keeps: (kind: string, message: Buffer) => boolean): Cutter {
  let rest: Buffer = Buffer.alloc(0);
  return (piece) => {
    rest = Buffer.concat([rest, piece]);
    const kept: Buffer[] = [];
    while (rest.length >= 5 && rest.length > rest.readUInt32BE(1)) {
      const end = 1 + rest.readUInt32BE(1);
      const message = rest.subarray(0, end);
      if (keeps(String.fromCharCode(message[0] ?? 0), message)) kept.push(message);
      rest = rest.subarray(end);
    }
    return Buffer.concat(kept);
  };
}

/** A table whose ids have this many digits, by which its rows are recognised on the wire. */
const firstId = 7_000_001;
const table = (rows: number): string => `create table t (id int primary key, body text);
  insert into t select n + ${firstId}, repeat('x', 100) from generate_series(0, ${rows - 1}) n`;

const isOfTable = (kind: string, message: Buffer): boolean =>
  kind === "D" && message.includes("x".repeat(100));

describe("rows that are taken out before pg sees them", () => {
  afterEach(() => void vi.useRealTimers());

  it("are the same however the bytes come, and pg gets the rest", async () => {
    const { query, url } = await ownPostgres();
    await query(table(300));
    const pieces: Buffer[] = [];
    const recording = await wiredTo(url, () => (piece) => {
      pieces.push(piece);
      return piece;
    });
    const pages = await pagesOf(readRequestOf(recording, { table: "t" }), { pageRowsMax: 1_000 });
    const ids = columnIn(pages, "id");
    expect(ids).toEqual(numbers(300).map((n) => String(n + firstId)));
    const spoken = Buffer.concat(pieces);
    const [rows, rest]: [Buffer[], Buffer[]] = [[], []];
    messages((kind, message) => {
      (kind === "D" ? rows : rest).push(message);
      return true;
    })(spoken);
    for (const size of [1, 2, 3, 5, 7, 1_000, spoken.length]) {
      const stream = new PassThrough();
      const handed: Buffer[] = [];
      stream.on("data", (bytes: Buffer) => handed.push(bytes));
      const tap = new RowTap();
      tap.attach(stream);
      const gathered = new RawRows();
      await tap.gather(gathered, async () => {
        for (let at = 0; at < spoken.length; at += size)
          stream.write(spoken.subarray(at, at + size));
        stream.end();
        await once(stream, "end");
      });
      expect(Buffer.concat(handed).equals(Buffer.concat(rest))).toBe(true);
      expect(gathered.bytes.equals(Buffer.concat(rows))).toBe(true);
      expect(gathered.count).toBe(rows.length);
      expect(numbers(rows.length).map((row) => gathered.startOf(row))).toEqual(startsOf(rows));
    }
  });

  it.each([
    ["the last one", 300, 299],
    ["one in the middle of a fetch", 300, 150],
    ["one of a fetch that is not the last", 300, 3],
    ["the only one", 1, 0],
  ])("are counted: %s that gets lost ends the read with an error", async (_, count, lost) => {
    const { query, url } = await ownPostgres();
    await query(table(count));
    const id = String(firstId + lost);
    const losing = await wiredTo(url, () =>
      messages((kind, message) => kind !== "D" || !message.includes(id)),
    );
    const failure = await pagesOf(readRequestOf(losing, { table: "t" })).catch(
      (error: unknown) => error,
    );
    expect(failure).toBeInstanceOf(RetryLater);
    expect(failure).toHaveProperty(
      "message",
      expect.stringMatching(/the server sent \d+ rows, and \d+ came/),
    );
  });

  it.each([99, 101])(
    "are refused where one does not hold as many bytes as it says: %i",
    async (told) => {
      const { query, url } = await ownPostgres();
      await query(table(20));
      const altering = await wiredTo(url, () =>
        messages((kind, message) => {
          // The length of the text, of 100 bytes, after an id of 7 digits.
          if (isOfTable(kind, message)) message.writeInt32BE(told, 7 + 4 + 7);
          return true;
        }),
      );
      const reading = pagesOf(readRequestOf(altering, { table: "t" }));
      await expect(reading).rejects.toThrow(/as many bytes as it says/);
    },
  );

  it("do not keep a read waiting whose server falls silent among them", async () => {
    const { query, url } = await ownPostgres();
    await query(table(9_000));
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    const fallen = Promise.withResolvers<undefined>();
    let rows = 0;
    const silent = await wiredTo(url, () =>
      messages((kind, message) => {
        if (isOfTable(kind, message)) rows += 1;
        if (rows === 4_000) fallen.resolve(undefined);
        return rows < 4_000;
      }),
    );
    const ask = readRequestOf(silent, { table: "t", statement_timeout: "60s" });
    let failure: unknown;
    const ended = pagesOf(ask).catch((error: unknown) => void (failure = error));
    await fallen.promise;
    await vi.advanceTimersByTimeAsync(60_000 + silenceMs - 1);
    expect(failure).toBe(undefined);
    await vi.advanceTimersByTimeAsync(1);
    await ended;
    expect(failure).toBeInstanceOf(RetryLater);
  });

  it("are left when the read is cancelled among them, and the server is told", async () => {
    const { query, url } = await postgres();
    await query(table(9_000));
    const aborting = new AbortController();
    let rows = 0;
    const watched = await wiredTo(url, () =>
      messages((kind, message) => {
        if (isOfTable(kind, message)) rows += 1;
        if (rows === 4_000) aborting.abort();
        return rows < 4_000;
      }),
    );
    const ask = { ...readRequestOf(watched, { table: "t" }), signal: aborting.signal };
    const failure = await pagesOf(ask).catch((error: unknown) => error);
    expect(failure).toBe(aborting.signal.reason);
    const sessions = `select from pg_stat_activity
      where application_name = 'sluice' and datname = current_database()`;
    await until(async () => (await query(sessions)).length === 0);
  });

  it("are given up with a statement that fails among them; the pages before it stay", async () => {
    const { query, url } = await postgres();
    await query(`create table t (id int primary key); insert into t select generate_series(1, 25000);
      create view v as select id, 1 / (15000 - id) as share from t`);
    const seen: unknown[] = [];
    const read = async (): Promise<void> => {
      const ask = readRequestOf(url, { table: "v", key: ["id"] });
      for await (const page of readPostgres({ ...ask, pageRowsMax: 1_000 }))
        seen.push(...columnIn([page], "id"));
    };
    await expect(read()).rejects.toThrow(/SQLSTATE 22012/);
    expect(seen).toEqual(numbers(10_000).map((n) => String(n + 1)));
  });
});

function startsOf(rows: readonly Buffer[]): readonly number[] {
  let start = 0;
  return rows.map(({ length }) => {
    start += length;
    return start - length;
  });
}
