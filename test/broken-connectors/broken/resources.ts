import { answers, Connection } from "../right-connection.ts";
import { rightAbilities, rightSource, sorted } from "../right.ts";
import { reading, type Broken, type SamplePage } from "./broken.ts";

/** Mistakes in the resources that a read takes, and in what it leaves behind. */
export const resourceMistakes: readonly Broken[] = [
  {
    name: "limit passed over",
    what: "takes no notice of `limit`",
    check: "R7",
    make: () => reading({ ask: (ask) => ({ ...ask, limit: undefined }) }),
  },
  {
    name: "limit cuts the page",
    what: "cuts the last page at `limit`, and gives it the position of the whole one",
    check: "R7",
    make: () =>
      rightSource({
        async *read({ limit = Infinity, ...ask }) {
          let left = limit;
          for await (const page of rightAbilities.read(ask)) {
            yield { ...page, rows: page.rows.slice(0, left) };
            left -= page.rows.length;
            if (left <= 0) return;
          }
        },
      }),
  },
  {
    name: "all at once",
    what: "reads everything into memory before it gives anything",
    check: "R14",
    make: () =>
      rightSource({
        async *read(ask) {
          const pages: SamplePage[] = [];
          for await (const page of rightAbilities.read(ask)) pages.push(page);
          yield* pages;
        },
      }),
  },
  {
    name: "rows kept",
    what: "keeps every row that it gave, to leave out what comes twice",
    check: "R14",
    make: () =>
      rightSource({
        async *read(ask) {
          const seen = new Set<string>();
          for await (const page of rightAbilities.read(ask)) {
            const rows = page.rows.filter((row) => !seen.has(JSON.stringify(row)));
            for (const row of rows) seen.add(JSON.stringify(row));
            yield { ...page, rows };
          }
        },
      }),
  },
  {
    name: "abort passed over",
    what: "takes no notice of `signal`",
    check: "R15",
    make: () => reading({ ask: (ask) => ({ ...ask, signal: new AbortController().signal }) }),
  },
  {
    name: "abort between pages",
    what: "looks at `signal` between pages alone, and not while it waits for an answer",
    check: "R15",
    make: () =>
      rightSource({
        async *read(ask) {
          const { signal } = new AbortController();
          for await (const page of rightAbilities.read({ ...ask, signal })) {
            ask.signal.throwIfAborted();
            yield page;
          }
        },
      }),
  },
  {
    name: "abort listened for",
    what: "listens for the abort, which never comes when it was before",
    check: "R15",
    make: () =>
      reading({
        ask: (ask) => {
          const own = new AbortController();
          ask.signal.addEventListener("abort", () => own.abort(), { once: true });
          return { ...ask, signal: own.signal };
        },
      }),
  },
  {
    name: "closed at the end only",
    what: "closes its connection after the loop, which an early end never reaches",
    check: "R16",
    make: () =>
      rightSource({
        async *read(ask) {
          const connection = new Connection(ask);
          let after = ask.from;
          let left = ask.limit ?? Infinity;
          while (left > 0) {
            const query = { after, upto: ask.to, limit: ask.pageRowsMax };
            const { rows, next } = await connection.get(answers.page, "/rows", query);
            if (next === undefined) break;
            yield { ...sorted(rows), position: next };
            after = next;
            left -= rows.length;
          }
          await connection.close();
        },
      }),
  },
  {
    name: "timer left running",
    what: "says every minute how far it is, and continues to say so when the read was left",
    check: "R16",
    make: () =>
      rightSource({
        async *read(ask) {
          let count = 0;
          const timer = setInterval(() => ask.log.info(`${count} rows`), 60_000);
          for await (const page of rightAbilities.read(ask)) {
            count += page.rows.length;
            yield page;
          }
          clearInterval(timer);
        },
      }),
  },
];
