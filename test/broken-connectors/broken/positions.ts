import { z } from "zod";

import { pullSource } from "../../../connectors/contract/connector.ts";
import { sampleConfig, type SamplePosition } from "../right-connection.ts";
import { rightAbilities, rightSource } from "../right.ts";
import { picked, reading, type Broken, type SamplePage } from "./broken.ts";

/** A time with only the precision of a `Date`. */
const milliseconds = z
  .string()
  .transform((text) => new Date(text).toISOString().replace("Z", "000Z"));

/** A place as a number of microseconds and an id. */
const microseconds = z.strictObject({ changed: z.coerce.bigint(), id: z.string() });

function microsecondsOf({ changed, id }: SamplePosition): z.output<typeof microseconds> {
  const micros = BigInt(Date.parse(changed)) * 1_000n + BigInt(changed.slice(23, 26));
  return { changed: micros, id };
}

function placeOf({ changed, id }: z.output<typeof microseconds>): SamplePosition {
  const iso = new Date(Number(changed / 1_000n)).toISOString().slice(0, -1);
  return { changed: `${iso}${String(changed % 1_000n).padStart(3, "0")}Z`, id };
}

function isAt({ changed, id }: SamplePosition, row: Readonly<Record<string, unknown>>): boolean {
  return row["changed"] === changed && row["id"] === id;
}

/** Pages cut out of larger ones, each with the position that `positionOf` makes of the rest. */
async function* fromBlocks(
  ask: Parameters<typeof rightAbilities.read>[0],
  positionOf: (block: SamplePage, last: Readonly<Record<string, unknown>>) => SamplePosition,
): AsyncGenerator<SamplePage> {
  const { pageRowsMax } = ask;
  for await (const block of rightAbilities.read({ ...ask, pageRowsMax: 3 * pageRowsMax })) {
    for (let begin = 0; begin < block.rows.length; begin += pageRowsMax) {
      const rows = block.rows.slice(begin, begin + pageRowsMax);
      const where = (index: number): string => block.where(begin + index);
      yield { rows, where, position: positionOf(block, rows.at(-1) ?? {}) };
    }
  }
}

/** Mistakes in the meaning of a position. */
export const positionMistakes: readonly Broken[] = [
  {
    name: "from the beginning",
    what: "begins anew wherever it is to continue",
    check: "R4",
    make: () => reading({ ask: (ask) => ({ ...ask, from: undefined }) }),
  },
  {
    name: "position of the page's beginning",
    what: "gives a page the position that it was asked for with",
    check: "R4",
    make: () =>
      reading({
        page: (page, _, after) => ({ ...page, position: after ?? { changed: "", id: "" } }),
      }),
  },
  {
    name: "sorted by id",
    what: "puts a page in the order of ids, and takes the last of those for where it is",
    check: "R4",
    make: () =>
      reading({
        page: (page) => {
          const rows = page.rows.toSorted((one, other) => Number(one["id"]) - Number(other["id"]));
          const { changed, id } = rows.at(-1) ?? {};
          const position = { changed: String(changed), id: String(id) };
          return {
            ...page,
            rows,
            position,
            where: (index) => `rows:${String(rows[index]?.["id"])}`,
          };
        },
      }),
  },
  {
    name: "milliseconds",
    what: "carries the change as a Date, which loses the microseconds",
    check: "R4",
    make: () =>
      reading({
        page: (page) => {
          const { changed, id } = page.position;
          return { ...page, position: { changed: milliseconds.parse(changed), id } };
        },
      }),
  },
  {
    name: "since",
    what: "continues with what changed since then: `changed >= ?`",
    check: "R5",
    make: () =>
      reading({
        ask: (ask) => ({ ...ask, from: ask.from && { changed: ask.from.changed, id: "" } }),
      }),
  },
  {
    name: "no end",
    what: "reads on where its span ends",
    check: "R6",
    make: () => reading({ ask: (ask) => ({ ...ask, to: undefined }) }),
  },
  {
    name: "end left out",
    what: "leaves out the row that its span ends with: `<` where `<=` is meant",
    check: "R6",
    make: () =>
      reading({
        page: (page, { to }) => (to === undefined ? page : picked(page, (row) => !isAt(to, row))),
      }),
  },
  {
    name: "count of the whole",
    what: "counts in `measure` the whole source, whatever the span",
    check: "R6",
    make: () =>
      rightSource({
        measure: async (ask) =>
          await rightAbilities.measure({ ...ask, from: undefined, to: undefined }),
      }),
  },
  {
    name: "BigInt",
    what: "keeps a number in its position that JSON cannot hold",
    check: "R8",
    make: () =>
      pullSource({
        name: "BigInt",
        config: sampleConfig,
        position: microseconds,
        async *read(ask) {
          const from = ask.from && placeOf(ask.from);
          const to = ask.to && placeOf(ask.to);
          for await (const page of rightAbilities.read({ ...ask, from, to })) {
            yield { ...page, position: microsecondsOf(page.position) };
          }
        },
      }),
  },
  {
    name: "Set of what was seen",
    what: "keeps a Set in its position, which JSON makes empty",
    check: "R8",
    make: () =>
      rightSource({
        position: z.looseObject({ changed: z.string(), id: z.string() }),
        async *read(ask) {
          const seen = new Set<string>();
          for await (const page of rightAbilities.read(ask)) {
            seen.add(page.position.changed);
            const position: SamplePosition & { readonly seen: unknown } = {
              ...page.position,
              seen,
            };
            yield { ...page, position };
          }
        },
      }),
  },
  {
    name: "position of the buffer",
    what: "reads three pages at a time, and gives each of them the position after the third",
    check: "R9",
    make: () => rightSource({ read: (ask) => fromBlocks(ask, ({ position }) => position) }),
  },
];
