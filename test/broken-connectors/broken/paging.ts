import { z } from "zod";

import { answers, Connection, samplePosition, type SamplePosition } from "../right-connection.ts";
import { rightAbilities, rightSource, sorted } from "../right.ts";
import { picked, reading, type Broken, type SamplePage } from "./broken.ts";

/** Assumes that a value is there, as people do who have never seen it missing. */
function there<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new TypeError("cannot read properties of undefined");
  return value;
}

/** Mistakes in paging. */
export const pagingMistakes: readonly Broken[] = [
  {
    name: "time in the position",
    what: "notes in its position when it read",
    check: "R1",
    make: () =>
      reading(
        {
          page: (page) => {
            const position = { ...page.position, read_at: performance.now() };
            return { ...page, position };
          },
        },
        { position: samplePosition.extend({ read_at: z.number().optional() }) },
      ),
  },
  {
    name: "header",
    what: "takes the first row for a header",
    check: "R2",
    make: () =>
      reading({
        page: (page, _, after) =>
          after === undefined ? picked(page, (row) => row !== page.rows[0]) : page,
      }),
  },
  {
    name: "column left out",
    what: "names in `columns` not all that its rows have",
    check: "R2",
    make: () => rightSource({ columns: async () => ["id", "text"] }),
  },
  {
    name: "page of its own size",
    what: "asks for 100 rows, however few are wanted",
    check: "R2",
    make: () => reading({ query: (query) => ({ ...query, limit: 100 }) }),
  },
  {
    name: "later changes only",
    what: "asks for the next page by the change column alone: `changed > ?`",
    check: "R3",
    make: () => reading({ next: ({ changed }) => ({ changed, id: "~" }) }),
  },
  {
    name: "whole groups",
    what: "lets a page grow until a group of equal changes is whole",
    check: "R3",
    make: () =>
      rightSource({
        async *read(ask) {
          let held: SamplePage | undefined;
          for await (const page of rightAbilities.read(ask)) {
            const isOneGroup = held?.position.changed === page.rows[0]?.["changed"];
            if (held !== undefined && !isOneGroup) yield held;
            held =
              held !== undefined && isOneGroup
                ? { ...page, rows: [...held.rows, ...page.rows] }
                : page;
          }
          if (held !== undefined) yield held;
        },
      }),
  },
  {
    name: "no row at all",
    what: "looks for columns in the first row of a source that has none",
    check: "R10",
    make: () =>
      rightSource({
        async *read(ask) {
          const connection = new Connection(ask);
          try {
            const { rows } = await connection.get(answers.page, "/rows", { limit: 1 });
            ask.log.info(`the columns are ${Object.keys(there(rows[0])).join(", ")}`);
          } finally {
            await connection.close();
          }
          yield* rightAbilities.read(ask);
        },
      }),
  },
  {
    name: "full last page",
    what: "asks for pages as long as they are full, and takes for granted that the next has a row",
    check: "R11",
    make: () =>
      rightSource({
        async *read(ask) {
          const connection = new Connection(ask);
          try {
            let after = ask.from;
            let isFull = true;
            while (isFull) {
              const query = { after, upto: ask.to, limit: ask.pageRowsMax };
              const { rows } = await connection.get(answers.page, "/rows", query);
              const { changed, id } = there(rows.at(-1));
              after = { changed, id };
              yield { ...sorted(rows), position: after };
              isFull = rows.length === ask.pageRowsMax;
            }
          } finally {
            await connection.close();
          }
        },
      }),
  },
  {
    name: "short last page",
    what: "ends at a page that is not full, before it has given it",
    check: "R11",
    make: () =>
      rightSource({
        async *read(ask) {
          for await (const page of rightAbilities.read(ask)) {
            if (page.rows.length < ask.pageRowsMax) return;
            yield page;
          }
        },
      }),
  },
  {
    name: "state outside",
    what: "keeps where it is beside its generator, for all reads",
    check: "R17",
    make: () => {
      let after: SamplePosition | undefined;
      return rightSource({
        async *read(ask) {
          after = ask.from;
          let left = ask.limit ?? Infinity;
          const connection = new Connection(ask);
          try {
            while (left > 0) {
              const query = { after, upto: ask.to, limit: ask.pageRowsMax };
              const { rows, next } = await connection.get(answers.page, "/rows", query);
              if (next === undefined) return;
              after = next;
              left -= rows.length;
              yield { ...sorted(rows), position: next };
            }
          } finally {
            await connection.close();
          }
        },
      });
    },
  },
  {
    name: "request shared",
    what: "keeps what it is about to ask for beside its generator, and waits before it asks",
    check: "R17",
    make: () => {
      let query: object = {};
      return rightSource({
        async *read(ask) {
          const connection = new Connection(ask);
          try {
            let after = ask.from;
            let left = ask.limit ?? Infinity;
            while (left > 0) {
              query = { after, upto: ask.to, limit: ask.pageRowsMax };
              // As people do to make sure that a token is still valid.
              await connection.get(answers.clock, "/clock");
              const { rows, next } = await connection.get(answers.page, "/rows", query);
              if (next === undefined) return;
              yield { ...sorted(rows), position: next };
              after = next;
              left -= rows.length;
            }
          } finally {
            await connection.close();
          }
        },
      });
    },
  },
];
