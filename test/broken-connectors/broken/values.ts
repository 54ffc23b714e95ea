import { z } from "zod";

import type { Source } from "../../../connectors/contract/connector.ts";
import { rightAbilities, rightSource } from "../right.ts";
import { editing, reading, type Broken } from "./broken.ts";

/** The right connector with every text changed. */
function rewriting(edit: (text: string) => unknown): Source {
  return editing((row) => {
    const { text } = row;
    return typeof text === "string" ? { ...row, text: edit(text) } : row;
  });
}

const spoiledRow = z
  .string()
  .transform((text): unknown => JSON.parse(text))
  .pipe(z.object({ id: z.string(), changed: z.string() }));

/** Mistakes in converting a cell. */
export const valueMistakes: readonly Broken[] = [
  {
    name: "numbers made",
    what: "makes numbers of texts that look like one",
    check: "R18",
    make: () => rewriting((text) => Number(text) || text),
  },
  {
    name: "JSON numbers",
    what: "reads ids as JSON numbers, which end at 2^53",
    check: "R18",
    make: () => editing((row) => ({ ...row, id: Number(row["id"]) })),
  },
  {
    name: "trimmed",
    what: "takes the spaces off both ends",
    check: "R18",
    make: () => rewriting((text) => text.trim()),
  },
  {
    name: "null as empty",
    what: "makes an empty text of null",
    check: "R18",
    make: () => editing((row) => ({ ...row, text: row["text"] ?? "" })),
  },
  {
    name: "empty as null",
    what: "makes null of an empty text",
    check: "R18",
    make: () => rewriting((text) => text || null),
  },
  {
    name: "normalized",
    what: "joins letters and accents that stand apart",
    check: "R18",
    make: () => rewriting((text) => text.normalize("NFC")),
  },
  {
    name: "nothing of its own",
    what: "makes null of what people write where there is nothing",
    check: "R21",
    make: () => rewriting((text) => (text === "N/A" ? null : text)),
  },
  {
    name: "local time",
    what: "takes times for those of its own clock's zone",
    check: "R19",
    make: () =>
      editing((row) => {
        const local = String(row["changed"]).slice(0, 23);
        return { ...row, changed: new Date(local).toISOString() };
      }),
  },
  {
    name: "malformed passed over",
    what: "leaves out malformed rows without a word",
    check: "R20",
    make: () => reading({ page: (page) => ({ ...page, rejects: [] }) }),
  },
  {
    name: "malformed ends it",
    what: "throws at the first malformed row",
    check: "R20",
    make: () =>
      reading({
        page: (page) => {
          const [reject] = page.rejects ?? [];
          if (reject !== undefined) throw new TypeError(`${reject.where} is malformed`);
          return page;
        },
      }),
  },
  {
    name: "malformed made to fit",
    what: "makes a text of whatever stands where a text should: [object Object]",
    check: "R20",
    make: () =>
      rightSource({
        async *read(ask) {
          for await (const { rejects = [], ...page } of rightAbilities.read(ask)) {
            const forced = rejects.map(({ row }) => ({
              ...spoiledRow.parse(row),
              text: "[object Object]",
            }));
            yield { ...page, rows: [...page.rows, ...forced] };
          }
        },
      }),
  },
  {
    name: "malformed without a place",
    what: "says of malformed rows only in which table they are",
    check: "R20",
    make: () =>
      reading({
        page: (page) => ({
          ...page,
          rejects: page.rejects?.map((reject) => ({ ...reject, where: "rows" })),
        }),
      }),
  },
];
