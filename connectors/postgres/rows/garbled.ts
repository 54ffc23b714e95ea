import { RetryLater } from "../../../src/errors.ts";

/** The error for a row that is not as a server sends it. */
export function garbled(): RetryLater {
  return new RetryLater("a row of the server does not hold as many bytes as it says", {
    hint: "Check whether something between here and the server alters the data.",
  });
}
