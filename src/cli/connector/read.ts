import { z } from "zod";

import type { Page, Row, Source } from "../../../connectors/contract/connector.ts";
import type { Incoming, PushSource } from "../../../connectors/contract/push.ts";
import type { Harness, PushHarness } from "../../../testing/harness.ts";
import { makeRows } from "../../../testing/rows.ts";
import { ConfigError } from "../../errors.ts";
import { rowJson, unshownRow } from "../../records/row-json.ts";
import { plainJson, plainText } from "../../text/plain-text.ts";
import type { Context } from "../output/context.ts";
import { exitCodes } from "../output/exit-code.ts";
import { onInterrupt } from "../output/interrupt.ts";
import { configGiven } from "./config.ts";
import { loadPullHarness, loadPushHarness, loadSource } from "./load.ts";

/** The request of `sluice connector dev`. */
export const readRequest = z.object({
  /** The path of the connector, as it was written. */
  path: z.string(),
  cwd: z.string(),
  config: z.string().optional(),
  set: z.record(z.string(), z.unknown()).optional(),
  /** How many rows to read at most. */
  limit: z.int(),
  /** A position as JSON. */
  from: z.string().optional(),
  json: z.boolean().optional(),
});

/** See `readRequest`. */
export type ReadOptions = z.output<typeof readRequest>;

type ReadContext = Pick<Context, "environment" | "exit" | "print" | "say">;

/** Few, so that positions between pages can be seen. */
const pageRows = 5;

/** Reads a connector once and prints its rows. @throws {ConfigError} the request does not fit the connector. */
export async function readOnce(request: ReadOptions, context: ReadContext): Promise<void> {
  const reader = new Reader(request, context);
  const source = await loadSource(request);
  await (source.kind === "push" ? reader.receive(source) : reader.read(source));
}

class Reader {
  readonly #request: ReadOptions;
  readonly #context: ReadContext;

  constructor(request: ReadOptions, context: ReadContext) {
    this.#request = request;
    this.#context = context;
  }

  async read(source: Source): Promise<void> {
    const from = positionGiven(source, this.#request.from);
    const given = await this.#given(source);
    if (given !== undefined) {
      await this.#readWith(source, { config: given.config, from });
      return;
    }
    const harness = await loadPullHarness(this.#request);
    this.#context.say(
      "reading three rows that harness.ts puts into its source; --set name=value or --config <file> reads yours",
    );
    try {
      await harness.empty();
      await harness.fill(makeRows(3, { together: 1, stepMicros: 1_000_000 }));
      await this.#readWith(source, { config: await this.#configOf(source, harness), from });
    } finally {
      await harness.close?.();
    }
  }

  async #readWith(
    source: Source,
    { config, from }: { readonly config: unknown; readonly from: unknown },
  ): Promise<void> {
    const { limit } = this.#request;
    const { say } = this.#context;
    const { signal } = onInterrupt();
    const log = { info: say, warn: say };
    const pageRowsMax = Math.min(limit, pageRows);
    let count = 0;
    for await (const page of source.read({ config, signal, log, from, pageRowsMax, limit })) {
      this.#showPage(page);
      count += page.rows.length + (page.rejects?.length ?? 0);
      if (count >= limit) break;
    }
    if (count === 0) say("no row came");
    else if (count >= limit) say(`these were the first ${count}: --limit reads more`);
  }

  #showPage(page: Page<Row, unknown>): void {
    for (const [index, row] of page.rows.entries()) {
      const shown = shownOf(row);
      this.#show(plainJson(shown), { place: page.where(index), row: shown });
    }
    for (const { where: place, code, reason } of page.rejects ?? []) {
      this.#show(`reject ${place}: ${code}: ${reason}`, { place, reject: { code, reason } });
    }
    this.#show(`position ${plainJson(page.position)}`, { position: page.position });
  }

  /** Shows what a push connector makes of a delivery that its harness wrote. */
  async receive(source: PushSource): Promise<void> {
    if (this.#request.from !== undefined) {
      throw new ConfigError("--from is for a source that is read, and this one is pushed to");
    }
    const given = await this.#given(source);
    const harness = await loadPushHarness(this.#request);
    this.#context.say("receiving three events, as harness.ts has them sent");
    try {
      const config = given?.config ?? (await this.#configOf(source, harness));
      const request = deliveryOf(source, harness, config);
      const received = source.receive({ config, request });
      if ("events" in received) {
        for (const event of received.events) this.#show(event.json, event);
      } else {
        const { refuse, reason } = received;
        this.#show(`refused ${refuse}: ${reason}`, { refuse, reason });
        this.#context.exit(exitCodes.failed);
      }
    } finally {
      await harness.close?.();
    }
  }

  async #given(source: PushSource | Source): ReturnType<typeof configGiven> {
    return await configGiven(source, this.#request, this.#context.environment);
  }

  async #configOf(source: PushSource | Source, harness: Harness): Promise<unknown> {
    const given = { cwd: this.#request.cwd, set: harness.config };
    return (await configGiven(source, given, this.#context.environment))?.config;
  }

  /** A line for a person, or the same for a program. */
  #show(line: string, facts: object): void {
    this.#context.print(this.#request.json ? plainJson(facts) : plainText(line));
  }
}

/** A delivery of three events, as the harness sends them. */
function deliveryOf(source: PushSource, harness: PushHarness, config: unknown): Incoming {
  const [id, now] = ["delivery-1", Date.now()];
  const body = Buffer.from(harness.bodyOf([1, 2, 3].map((event) => ({ id: `event-${event}` }))));
  const signed = harness.sign?.(body, id) ?? source.sign?.({ config, body, id, at: now }) ?? {};
  const headers = new Map(
    Object.entries(signed).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const query = new URLSearchParams();
  return { headers: Object.fromEntries(headers), query, body, receivedAt: now };
}

/** @throws {ConfigError} the text is not JSON, or not a position of this source. */
function positionGiven({ position: schema }: Source, text: string | undefined): unknown {
  if (text === undefined) return undefined;
  let position: unknown;
  try {
    position = JSON.parse(text);
  } catch {
    throw new ConfigError(`--from ${text} is not JSON`, {
      hint: "take a position that was printed",
    });
  }
  const { success, data, error } = schema.safeParse(position);
  if (success) return data;
  const found = error.issues.map(({ path, message }) => `${path.join(".")} ${message}`.trim());
  throw new ConfigError(`--from is not a position of this source: ${found.join("; ")}`, {
    hint: "take a position that was printed",
  });
}

/** What JSON can show of a row. */
function shownOf(row: Row): unknown {
  const text = rowJson(row);
  return text === undefined ? unshownRow : JSON.parse(text);
}
