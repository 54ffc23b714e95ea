import { describe, expect, it } from "vitest";
import { z } from "zod";

import { pullSource, secret, type Page, type Row } from "../../../connectors/contract/connector.ts";
import { withPlaces } from "../../../connectors/load/place.ts";
import { ConfigError, messageOf } from "../../../src/errors.ts";
import { Secret } from "../../../src/security/secret.ts";

const canary = "canary-token-77c1";

/** Fails like a user's code. */
function fail(what: string): never {
  if (what === "json") JSON.parse(`${canary} is a cell`);
  if (what === "parse") z.object({ server: z.object({ id: z.string() }) }).parse({ server: {} });
  if (what === "ours") throw new ConfigError("no such table");
  if (what === "secret") throw new RangeError(`${canary}\nand more`);
  throw new TypeError("Cannot read properties of null (reading 'x')");
}

function page(position: number, where: Page<Row, number>["where"]): Page<Row, number> {
  return { rows: [{ id: 1 }], position, where };
}

const origin = {
  named: { connector: "./feed", folder: import.meta.dirname },
  found: { specifier: "", file: import.meta.filename },
};

const source = withPlaces(
  pullSource({
    name: "feed",
    config: z.object({ token: secret(), fault: z.string() }),
    position: z.int(),
    async *read({ config: { fault }, signal }) {
      yield page(1, () => fail("null"));
      signal.throwIfAborted();
      fail(fault);
    },
    at: () => fail("null"),
    check: async ({ config: { fault } }) => fail(fault),
  }),
  origin,
);

function readRequestOf(fault: string, signal = new AbortController().signal) {
  const log = { info: () => undefined, warn: () => undefined };
  return { config: { token: new Secret(canary), fault }, signal, log, pageRowsMax: 7 };
}

async function pagesOf(
  ask: ReturnType<typeof readRequestOf>,
): Promise<readonly Page<Row, unknown>[]> {
  const pages: Page<Row, unknown>[] = [];
  for await (const one of source.read(ask)) pages.push(one);
  return pages;
}

const nulled =
  /^connector \.\/feed fails at place\.test\.ts:\d+: TypeError: Cannot read properties of null \(reading 'x'\)$/;

/** A page whose rows are made when they are asked for; its members are those of its class. */
class LazyPage implements Page<Row, number> {
  readonly position = 1;
  readonly #row = { id: "a" };
  readonly cells = {
    columns: ["id"],
    count: 1,
    bytes: Buffer.from("a"),
    starts: Int32Array.of(0),
    ends: Int32Array.of(1),
    flags: Uint8Array.of(0),
    quote: 0,
    row: (): Row => this.#row,
  };
  made = 0;

  get rows(): readonly Row[] {
    this.made += 1;
    return [this.#row];
  }

  where(): string {
    return `feed#${this.#row.id}`;
  }

  text(): string {
    return this.#row.id;
  }
}

describe("withPlaces", () => {
  it("hands on a page as it is, and has no rows made that nobody asks for", async () => {
    const own = new LazyPage();
    const lazy = withPlaces(
      pullSource({
        name: "feed",
        config: z.object({}),
        position: z.int(),
        async *read() {
          yield own;
        },
      }),
      origin,
    );
    for await (const one of lazy.read({ ...readRequestOf(""), config: {} })) {
      expect(own.made).toBe(0);
      expect([one.rows, one.rows]).toEqual([[{ id: "a" }], [{ id: "a" }]]);
      expect(one.cells).toBe(own.cells);
      expect([one.position, one.where(0), one.text?.(0)]).toEqual([1, "feed#a", "a"]);
    }
    expect(own.made).toBe(1);
  });

  it("names the connector and the line of its code, whichever ability fails", async () => {
    await expect(pagesOf(readRequestOf("null"))).rejects.toThrow(nulled);
    await expect(source.check?.(readRequestOf("null"))).rejects.toThrow(nulled);
    expect(() => source.at?.({ config: {}, when: new Date() })).toThrow(nulled);
    for await (const one of source.read(readRequestOf("null"))) {
      expect(() => one.where(0)).toThrow(nulled);
      break;
    }
  });

  it("tells neither a secret of the configuration nor the text that is no JSON", async () => {
    const errors = await Promise.all(
      ["secret", "json"].map(async (fault) => {
        return await pagesOf(readRequestOf(fault)).catch((error: unknown) => messageOf(error));
      }),
    );
    expect(errors).toEqual([
      expect.stringMatching(/RangeError: \[secret\]$/),
      expect.stringMatching(/SyntaxError: Unexpected token 'c': it is not valid JSON$/),
    ]);
  });

  it("tells the first issue of what a schema refuses, and its member", async () => {
    await expect(pagesOf(readRequestOf("parse"))).rejects.toThrow(
      /ZodError: server\.id: Invalid input: expected string, received undefined$/,
    );
  });

  it("hands on errors that are made for sluice, and the reason of an abort", async () => {
    await expect(pagesOf(readRequestOf("ours"))).rejects.toThrow(/^no such table$/);
    const reason = new Error("cancelled");
    await expect(pagesOf(readRequestOf("null", AbortSignal.abort(reason)))).rejects.toBe(reason);
  });
});
