import { writeFile } from "node:fs/promises";

import { describe, expect, it, onTestFinished } from "vitest";

import type { Source } from "../../../connectors/contract/connector.ts";
import { readFromInbox } from "../../../connectors/inbox/index.ts";
import { inboxPosition } from "../../../connectors/inbox/position.ts";
import { webhook } from "../../../connectors/webhook/index.ts";
import type { PushedConfig } from "../../../src/config/schema/sources.ts";
import { SourceChangedError, StateUnavailableError } from "../../../src/errors.ts";
import { inboxFileIn } from "../../../src/inbox/file.ts";
import type { Inbox } from "../../../src/inbox/inbox.ts";
import { inboxReadBytesMax } from "../../../src/inbox/limits.ts";
import { openInbox } from "../../../src/inbox/open.ts";
import { jsonValuesMax } from "../../../src/limits.ts";
import { temporaryFolder } from "../../support/process/temporary-folder.ts";
import { schemaOf } from "../../support/project/inline-postgres.ts";

const source = readFromInbox(webhook);
const log = { info: (): void => undefined, warn: (): void => undefined };

/** The request to the inbox of a test, as configured for the connection `forms`. */
type Asked = {
  readonly config: PushedConfig;
  readonly signal: AbortSignal;
  readonly log: typeof log;
};

/** A test's own inbox, with a method that keeps deliveries in it. */
class Posted {
  readonly inbox: Inbox;

  private constructor(inbox: Inbox) {
    this.inbox = inbox;
  }

  static async open({ config }: Asked): Promise<Posted> {
    const inbox = await openInbox(config.inbox);
    onTestFinished(async () => await inbox.close());
    return new Posted(inbox);
  }

  /** Keeps a delivery, as the receiver does. */
  async keep(
    connection: string,
    ...events: readonly (string | { readonly json: string; readonly id: string })[]
  ): Promise<void> {
    const kept = events.map((event) => (typeof event === "string" ? { json: event } : event));
    await this.inbox.keep({ connection, events: kept });
  }
}

/** An event of so many values that no parser takes. */
function blanksIn(values: number): string {
  return `{"a":[${",".repeat(values)}"],[{"]}`;
}

/** The sequence numbers of each page of a read, and its final position. */
async function pagesOf(
  ask: Asked,
  how: { from?: unknown; to?: unknown; pageRowsMax?: number } = {},
): Promise<{ readonly pages: readonly (readonly string[])[]; readonly position: unknown }> {
  const pages: string[][] = [];
  let position: unknown;
  for await (const page of source.read({ ...ask, pageRowsMax: 1_000, ...how })) {
    pages.push(page.rows.map((_, index) => page.where(index)));
    ({ position } = page);
  }
  return { pages, position };
}

async function readLimitOf(ask: Asked): Promise<unknown> {
  return (await source.readLimit?.(ask))?.to;
}

async function rewound(input: Parameters<NonNullable<Source["rewind"]>>[0]): Promise<unknown> {
  return await source.rewind?.(input);
}

describe.each(["sqlite", "postgres"])("readFromInbox: %s", (kind) => {
  async function asked(): Promise<Asked> {
    const stateFolder = await temporaryFolder();
    const inbox =
      kind === "sqlite" ? { stateFolder } : { stateFolder, store: await schemaOf(stateFolder) };
    const config = { settings: {}, connection: "forms", inbox };
    return { config, signal: new AbortController().signal, log };
  }

  /** The same, with an inbox that holds the events from `{"n":1}` up to `count`. */
  async function filled(count: number): Promise<{ readonly ask: Asked; readonly events: Posted }> {
    const ask = await asked();
    const events = await Posted.open(ask);
    await events.keep("forms", ...Array.from({ length: count }, (_, n) => `{"n":${n + 1}}`));
    return { ask, events };
  }

  it("reads the events of its connection, each with its place and as it came", async () => {
    const ask = await asked();
    const events = await Posted.open(ask);
    await events.keep("other", '{"n":0}');
    await events.keep("forms", '{"n": 1, "in": {"of": "data"}}', '{"n":2}');
    await events.keep("other", '{"n":0}');
    await events.keep("forms", '{"n":3}');
    for await (const page of source.read({ ...ask, pageRowsMax: 10 })) {
      expect(page.rows).toMatchObject([{ n: 1, in: { of: "data" } }, { n: 2 }, { n: 3 }]);
      expect([0, 1, 2].map((index) => page.where(index))).toEqual([
        "forms#1",
        "forms#2",
        "forms#3",
      ]);
      expect(page.text?.(0)).toBe('{"n": 1, "in": {"of": "data"}}');
      const { inboxId: inbox } = events.inbox;
      const receivedAt = Date.parse(String(page.rows[2]?.["$received_at"]));
      expect(page.position).toEqual({ inbox, connection: "forms", seq: 3, receivedAt });
    }
    expect.assertions(4);
  });

  it("tells what an event was delivered with, also of one that says something else itself", async () => {
    const ask = await asked();
    const events = await Posted.open(ask);
    await events.keep(
      "forms",
      { json: '{"n":1}', id: "msg_1" },
      "{}",
      '{"$event_id":"msg_1","$received_at":"0"}',
    );
    for await (const { rows } of source.read({ ...ask, pageRowsMax: 10 })) {
      const ids = rows.map((row) => row["$event_id"]);
      expect(ids).toEqual(["msg_1", ...[2, 3].map((n) => `${events.inbox.inboxId}/forms#${n}`)]);
      const times = rows.map((row) => Date.parse(String(row["$received_at"])));
      expect(times.every((time) => Math.abs(Date.now() - time) < 60_000)).toBe(true);
    }
    expect.assertions(2);
  });

  it.each([
    [
      9,
      [
        [
          "forms#1",
          "forms#2",
          "forms#3",
          "forms#4",
          "forms#5",
          "forms#6",
          "forms#7",
          "forms#8",
          "forms#9",
        ],
      ],
    ],
    [
      3,
      [
        ["forms#1", "forms#2", "forms#3"],
        ["forms#4", "forms#5", "forms#6"],
        ["forms#7", "forms#8", "forms#9"],
      ],
    ],
    [
      8,
      [
        ["forms#1", "forms#2", "forms#3", "forms#4", "forms#5", "forms#6", "forms#7", "forms#8"],
        ["forms#9"],
      ],
    ],
  ])("reads pages of %i rows at most", async (pageRowsMax, pages) => {
    const { ask } = await filled(9);
    expect((await pagesOf(ask, { pageRowsMax })).pages).toEqual(pages);
  });

  it("ends a page that has become large", async () => {
    const ask = await asked();
    const events = await Posted.open(ask);
    const large = JSON.stringify({ text: "x".repeat(inboxReadBytesMax / 8) });
    for (let n = 0; n < 10; n += 1) await events.keep("forms", large);
    const { pages } = await pagesOf(ask);
    expect(pages.map((page) => page.length)).toEqual([8, 2]);
  });

  it("reads from one position to the other, and no further than what was there when it began", async () => {
    const { ask, events } = await filled(3);
    const to = await readLimitOf(ask);
    await events.keep("forms", '{"n":4}', '{"n":5}');
    const first = await pagesOf(ask, { to });
    expect(first).toEqual({ pages: [["forms#1", "forms#2", "forms#3"]], position: to });
    const seen: string[] = [];
    for await (const page of source.read({ ...ask, from: first.position, pageRowsMax: 1 })) {
      seen.push(page.where(0));
      if (seen.length > 5) break;
      await events.keep("forms", '{"n":6}');
    }
    expect(seen).toEqual(["forms#4", "forms#5"]);
    expect((await pagesOf(ask, { from: to, to })).pages).toEqual([]);
  });

  it("passes over what was removed", async () => {
    const { ask, events } = await filled(4);
    await events.inbox.setAccepted({ connection: "forms", upTo: 2 });
    await events.inbox.prune({ connection: "forms", upTo: 2 });
    expect((await pagesOf(ask)).pages).toEqual([["forms#3", "forms#4"]]);
  });

  it("has no rows, no read limit and no past before anything was received", async () => {
    const ask = await asked();
    expect(await pagesOf(ask)).toEqual({ pages: [], position: undefined });
    const begin = inboxPosition.optional().parse(await readLimitOf(ask));
    expect(begin?.seq).toBe(kind === "sqlite" ? undefined : 0);
    expect(await source.get?.({ ...ask, names: ["forms#1"] })).toMatchObject({
      missing: ["forms#1"],
    });
  });

  it("rejects what is not an object and what came under another's id, with its text", async () => {
    const ask = await asked();
    const events = await Posted.open(ask);
    await events.keep("forms", "[1,2]", "null", '{"n":3}', { id: "a", json: '{"n":4}' });
    await events.keep("forms", { id: "a", json: '{"n": 5}' });
    for await (const page of source.read({ ...ask, pageRowsMax: 10 })) {
      expect(page.rows).toMatchObject([{ n: 3 }, { n: 4 }]);
      expect([page.where(0), page.where(1)]).toEqual(["forms#3", "forms#4"]);
      expect(page.rejects?.map(({ where, code, row }) => [where, code, row])).toEqual([
        ["forms#1", "not_an_object", "[1,2]"],
        ["forms#2", "not_an_object", "null"],
        ["forms#5", "id_conflict", '{"n": 5}'],
      ]);
      expect(page.position).toMatchObject({ seq: 5 });
    }
    expect.assertions(4);
  });

  it("rejects an event of more values than fit into memory, and reads the next one", async () => {
    const ask = await asked();
    const events = await Posted.open(ask);
    await events.keep("forms", blanksIn(jsonValuesMax), blanksIn(10), '{"n":3}');
    const found = await source.get?.({ ...ask, names: ["forms#1", "forms#2", "forms#3"] });
    expect(found?.rejects?.map(({ code }) => code)).toEqual(["too_many_values", "not_an_object"]);
    expect(found?.rows).toMatchObject([{ n: 3 }]);
  });

  it("continues in its own inbox alone", async () => {
    const { ask } = await filled(3);
    const { ask: another } = await filled(3);
    const position = await readLimitOf(ask);
    const { config } = ask;
    expect(await rewound({ config, position })).toEqual(position);
    expect(await rewound({ config: another.config, position })).toBeUndefined();
    const renamed = { ...config, connection: "crm" };
    // Its beginning, and how far it was read under its earlier name, which it may get back.
    const begin = { connection: "crm", seq: 0, others: { forms: { seq: 3 } } };
    expect(await rewound({ config: renamed, position })).toMatchObject(begin);
    expect(await rewound({ config: (await asked()).config, position })).toBeUndefined();

    for (const span of [{ from: position }, { to: position }]) {
      await expect(pagesOf(another, span)).rejects.toThrow(SourceChangedError);
      await expect(pagesOf(await asked(), span)).rejects.toThrow(SourceChangedError);
      await expect(source.get?.({ ...another, ...span, names: [] })).rejects.toThrow(
        SourceChangedError,
      );
    }
  });

  it("finds events by their places, and says which are gone", async () => {
    const { ask, events } = await filled(4);
    await events.keep("forms", "7");
    await events.keep("crm", '{"n":0}');
    await events.inbox.prune({ connection: "forms", upTo: 1 });
    const names = ["forms#4", "forms#1", "forms#5", "forms#2", "forms#4"];
    const none = [
      "forms#6",
      "forms#0",
      "forms#02",
      "forms#-1",
      "crm#1",
      "forms",
      "#1",
      "4",
      `forms#${2 ** 40 + 1}`,
    ];
    const to = await readLimitOf(ask);
    const got = await source.get?.({ ...ask, to, names: [...names, ...none] });
    expect(got?.rows).toMatchObject([{ n: 4 }, { n: 2 }]);
    expect([got?.where(0), got?.where(1), got?.text?.(1)]).toEqual([
      "forms#4",
      "forms#2",
      '{"n":2}',
    ]);
    expect(got?.rejects).toMatchObject([{ where: "forms#5", code: "not_an_object" }]);
    expect(got?.missing).toEqual(["forms#1", ...none]);
  });

  it("stops when the run is cancelled", async () => {
    const { ask } = await filled(2);
    const signal = AbortSignal.abort(new Error("cancelled"));
    await expect(pagesOf({ ...ask, signal })).rejects.toThrow("cancelled");
  });

  it("has its endpoint looked at by the connector that is pushed to", async () => {
    const settings = webhook.config.parse({
      path: "/hooks/forms",
      secret: "not-a-real-secret-0123456789",
    });
    const { config, ...ask } = await asked();
    const findings = await source.check?.({ ...ask, config: { ...config, settings } });
    expect(findings).toEqual(await webhook.check?.({ ...ask, config: settings }));
    expect(findings?.length).toBeGreaterThan(0);
  });
});

it("takes a file that is not an inbox for one that may come back", async () => {
  const stateFolder = await temporaryFolder();
  await writeFile(inboxFileIn(stateFolder), "no database ".repeat(100));
  const config = { settings: {}, connection: "forms", inbox: { stateFolder } };
  const ask = { config, signal: new AbortController().signal, log };
  await expect(pagesOf(ask)).rejects.toThrow(StateUnavailableError);
});
