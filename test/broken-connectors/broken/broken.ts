import type { Page, Row, Source } from "../../../connectors/contract/connector.ts";
import type { PushSource } from "../../../connectors/contract/push.ts";
import { answers, Connection, type SamplePosition } from "../right-connection.ts";
import { rightAbilities, rightSource, sorted } from "../right.ts";

/** A connector with one mistake that people make. */
export type Broken = {
  /** Stable; one or more words for the mistake. */
  readonly name: string;
  /** What it does: the text continues after "it". */
  readonly what: string;
  /** The check that must turn red. */
  readonly check: string;
  /** Makes a new one each time: some keep state that they should not. */
  readonly make: () => Source | PushSource;
};

/** A page of the sample table. */
export type SamplePage = Page<Row, SamplePosition>;
/** The request for a read of the sample table. */
export type SampleRequest = Parameters<typeof rightAbilities.read>[0];
/** The differences from the right connector. */
export type Changes = NonNullable<Parameters<typeof rightSource>[0]>;

type Query = {
  readonly after: SamplePosition | undefined;
  readonly upto: SamplePosition | undefined;
  readonly limit: number;
};

/** The steps in which a read may differ from the right one. */
export type Steps = {
  /** Changes the request that it gets. */
  readonly ask?: (ask: SampleRequest) => SampleRequest;
  /** Changes its query to the server. */
  readonly query?: (query: Query, ask: SampleRequest) => object;
  /** Changes a page made of an answer; `after` is where it begins. */
  readonly page?: (
    page: SamplePage,
    ask: SampleRequest,
    after: SamplePosition | undefined,
  ) => SamplePage;
  /** Changes the position after which the next page is requested. */
  readonly next?: (position: SamplePosition) => SamplePosition;
};

/** The right connector with another step in its read. */
export function reading(steps: Steps, changes: Changes = {}): Source {
  const { ask: asked = same, query = same, page: made = same, next: step = same } = steps;
  return rightSource({
    async *read(given) {
      const ask = asked(given);
      const connection = new Connection(ask);
      try {
        let after = ask.from;
        let left = ask.limit ?? Infinity;
        while (left > 0) {
          const limit = Math.min(ask.pageRowsMax, left);
          const wanted = query({ after, upto: ask.to, limit }, ask);
          const { rows, next } = await connection.get(answers.page, "/rows", wanted);
          if (next === undefined) return;
          yield made({ ...sorted(rows), position: next }, ask, after);
          after = step(next);
          left -= rows.length;
        }
      } finally {
        await connection.close();
      }
    },
    ...changes,
  });
}

/** The right connector with every row changed. */
export function editing(edit: (row: Row) => Row): Source {
  return reading({ page: (page) => ({ ...page, rows: page.rows.map(edit) }) });
}

/** The right connector with every error of its read replaced by another. */
export function failing(change: (error: unknown, ask: SampleRequest) => unknown): Source {
  return rightSource({
    async *read(ask) {
      try {
        yield* rightAbilities.read(ask);
      } catch (error) {
        throw change(error, ask);
      }
    },
  });
}

/** A page without some of its rows. */
export function picked(page: SamplePage, isWanted: (row: Row) => boolean): SamplePage {
  const indices = page.rows.flatMap((row, index) => (isWanted(row) ? [index] : []));
  return {
    ...page,
    rows: page.rows.filter(isWanted),
    where: (index) => page.where(indices[index] ?? -1),
  };
}

function same<Value>(value: Value): Value {
  return value;
}
