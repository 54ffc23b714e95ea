import { z } from "zod";

import { pullSource, type Row, type Source } from "../../connectors/contract/connector.ts";
import { ConfigError } from "../../src/errors.ts";

const position = z.strictObject({ covered: z.int() });

/** A source over an array, like a user's connector, and how many of its rows were read. */
export type ArraySource = { readonly source: Source; readonly read: () => number };

/** Rows of one page. */
export const arrayPageRows = 250;

/** One day for each row, from this day on. */
export const firstDay = Date.UTC(2026, 0, 1);

const dayMs = 24 * 3_600_000;

type Ability = "at" | "before" | "measure" | "split";

const all: readonly Ability[] = ["at", "before", "measure", "split"];

/** Positions count the rows before them. With no abilities it can only be read. */
export function arraySource(
  rows: readonly Row[],
  how: {
    /** @default all */
    readonly abilities?: readonly Ability[];
    /** Called before each page. */
    readonly eachPage?: () => void;
  } = {},
): ArraySource {
  const { abilities = all, eachPage = (): void => undefined } = how;
  let read = 0;
  const only = pullSource({
    name: "array",
    config: z.unknown(),
    position,
    restart: () => "each-run",
    read: async function* readArray({ from, to, pageRowsMax, limit = Infinity, signal }) {
      const begin = from?.covered ?? 0;
      const end = Math.min(to?.covered ?? rows.length, begin + limit);
      for (let at = begin; at < end;) {
        eachPage();
        signal.throwIfAborted();
        const next = Math.min(end, at + Math.min(pageRowsMax, arrayPageRows));
        const page = rows.slice(at, next);
        const first = at;
        read += page.length;
        yield {
          rows: page,
          where: (index) => `array:${first + index}`,
          position: { covered: next },
        };
        at = next;
      }
    },
  });
  const of = (given: unknown, other: number): number =>
    position.optional().parse(given)?.covered ?? other;
  const can: Required<Pick<Source, Ability>> = {
    at: ({ when }) => ({ covered: Math.ceil((when.getTime() - firstDay) / dayMs) }),
    before: async ({ place }) => {
      const row = /^row (\d+)$/.exec(place)?.[1];
      if (row !== undefined) return { covered: Number(row) };
      throw new ConfigError(`there is no place "${place}"`, { hint: 'say "row 12"' });
    },
    measure: async ({ from, to }) => ({ rows: of(to, rows.length) - of(from, 0), exact: true }),
    split: async ({ from, to, parts }) => {
      const [begin, end] = [of(from, 0), of(to, rows.length)];
      const edge = (part: number): object => ({
        covered: begin + Math.round(((end - begin) * part) / parts),
      });
      return Array.from({ length: parts }, (_, part) => ({
        from: part === 0 ? from : edge(part),
        to: part === parts - 1 ? to : edge(part + 1),
      }));
    },
  };
  const source = abilities.reduce<Source>((made, name) => ({ ...made, [name]: can[name] }), only);
  return { source, read: () => read };
}
