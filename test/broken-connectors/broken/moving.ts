import { z } from "zod";

import { pullSource } from "../../../connectors/contract/connector.ts";
import { answers, Connection, sampleConfig } from "../right-connection.ts";
import { rightAbilities, rightSource, sorted } from "../right.ts";
import { reading, type Broken } from "./broken.ts";

/** Mistakes that show only with a source that changes meanwhile. */
export const movingMistakes: readonly Broken[] = [
  {
    name: "id alone",
    what: "reads in the order of ids, and never comes back to a row that changed",
    check: "R12",
    make: () => reading({ query: (query) => ({ ...query, order: "id" }) }),
  },
  {
    name: "offset",
    what: "counts the rows that it has passed: whatever moves among them shifts the others",
    check: "R12",
    make: () =>
      pullSource({
        name: "offset",
        config: sampleConfig,
        position: z.int(),
        async *read(ask) {
          const connection = new Connection(ask);
          try {
            let offset = ask.from ?? 0;
            const end = Math.min(ask.to ?? Infinity, offset + (ask.limit ?? Infinity));
            while (offset < end) {
              const limit = Math.min(ask.pageRowsMax, end - offset);
              const { rows } = await connection.get(answers.page, "/rows", { offset, limit });
              if (rows.length === 0) return;
              offset += rows.length;
              yield { ...sorted(rows), position: offset };
            }
          } finally {
            await connection.close();
          }
        },
      }),
  },
  {
    name: "time of the read",
    what: "saves as its position when it read, as if nothing changed meanwhile",
    check: "R12",
    make: () =>
      reading({
        page: (page) => {
          const changed = new Date().toISOString().replace("Z", "000Z");
          return { ...page, position: { changed, id: "" } };
        },
      }),
  },
  {
    name: "no look back",
    what: "continues where it was, whatever transactions are open",
    check: "R13",
    make: () => rightSource({ rewind: ({ position }) => position }),
  },
  {
    name: "held at any rate",
    what: "continues where the oldest open transaction began, also when it had not come that far",
    check: "R13",
    make: () => rightSource({ rewind: ({ position, oldestOpen }) => oldestOpen ?? position }),
  },
  {
    name: "nothing held",
    what: "does not ask which transactions are open",
    check: "R13",
    make: () =>
      rightSource({
        readLimit: async (ask) => ({ to: (await rightAbilities.readLimit(ask)).to }),
      }),
  },
];
