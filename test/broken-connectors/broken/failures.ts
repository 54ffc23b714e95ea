import { ConfigError, RetryLater, SourceAuthError } from "../../../src/errors.ts";
import { rightAbilities, rightSource } from "../right.ts";
import { failing, reading, type Broken, type SampleRequest, type SamplePage } from "./broken.ts";

/** Continues reading after a missing answer if it can, with the request from `retried`. */
async function* insisting(
  ask: SampleRequest,
  retried: (last: SamplePage | undefined) => SampleRequest,
): AsyncGenerator<SamplePage> {
  let last: SamplePage | undefined;
  try {
    for await (const page of rightAbilities.read(ask)) {
      last = page;
      yield page;
    }
  } catch (error) {
    if (!(error instanceof RetryLater) || error.retryAfterMs !== undefined) throw error;
    yield* rightAbilities.read(retried(last));
  }
}

/** Mistakes in handling a source that fails. */
export const failureMistakes: readonly Broken[] = [
  {
    name: "break as end",
    what: "logs that the connection died, and ends as if there were no more",
    check: "F1",
    make: () =>
      rightSource({
        async *read(ask) {
          try {
            yield* rightAbilities.read(ask);
          } catch (error) {
            if (!(error instanceof RetryLater) || error.retryAfterMs !== undefined) throw error;
            ask.log.warn("the connection was closed");
          }
        },
      }),
  },
  {
    name: "retry that repeats",
    what: "tries again itself when the connection died, from where the read began",
    check: "F1",
    make: () => rightSource({ read: (ask) => insisting(ask, () => ask) }),
  },
  {
    name: "break for good",
    what: "throws on what its client threw, which says nothing of another try",
    check: "F1",
    make: () =>
      failing((error) =>
        error instanceof RetryLater && error.retryAfterMs === undefined ? error.cause : error,
      ),
  },
  {
    name: "401 tried again",
    what: "has refused credentials tried again",
    check: "F2",
    make: () =>
      failing((error) =>
        error instanceof SourceAuthError ? new RetryLater(error.message) : error,
      ),
  },
  {
    name: "401 and no more",
    what: "says that the credentials are refused, and not which setting they are",
    check: "F2",
    make: () =>
      failing((error) =>
        error instanceof SourceAuthError ? new SourceAuthError(error.message) : error,
      ),
  },
  {
    name: "wait forgotten",
    what: "has 429 tried again without the wait that the source told",
    check: "F3",
    make: () =>
      failing((error) => (error instanceof RetryLater ? new RetryLater(error.message) : error)),
  },
  {
    name: "seconds as milliseconds",
    what: "passes the seconds of Retry-After on as milliseconds",
    check: "F3",
    make: () =>
      failing((error) => {
        if (!(error instanceof RetryLater) || error.retryAfterMs === undefined) return error;
        return new RetryLater(error.message, { afterMs: error.retryAfterMs / 1_000 });
      }),
  },
  {
    name: "429 for good",
    what: "ends the run when it asked too often",
    check: "F3",
    make: () =>
      failing((error) => {
        if (!(error instanceof RetryLater) || error.retryAfterMs === undefined) return error;
        return new ConfigError(error.message, { hint: "Ask less often." });
      }),
  },
  {
    name: "no timeout",
    what: "waits for an answer as long as it takes",
    check: "F4",
    make: () => reading({ ask: (ask) => ({ ...ask, config: { ...ask.config, timeout_ms: 0 } }) }),
  },
  {
    name: "token in an error",
    what: "quotes the request with its headers when it fails",
    check: "F5",
    make: () =>
      failing((error, { config }) => {
        if (!(error instanceof RetryLater)) return error;
        const headers = { authorization: `Bearer ${config.token.reveal()}` };
        const { retryAfterMs: afterMs } = error;
        const said = `${error.message} ${JSON.stringify(headers)}`;
        return new RetryLater(said, afterMs === undefined ? {} : { afterMs });
      }),
  },
  {
    name: "cell in a reason",
    what: "quotes a malformed row in the reason of its reject",
    check: "F5",
    make: () =>
      reading({
        page: (page) => ({
          ...page,
          rejects: page.rejects?.map((one) => ({ ...one, reason: `not a text: ${one.row}` })),
        }),
      }),
  },
  {
    name: "row in the log",
    what: "logs the row that it got to",
    check: "F5",
    make: () =>
      reading({
        page: (page, ask) => {
          ask.log.info("a page was read", { last: page.rows.at(-1) });
          return page;
        },
      }),
  },
];
