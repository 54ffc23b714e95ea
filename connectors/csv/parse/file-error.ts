import {
  ConfigError,
  errorCodeOf,
  messageOf,
  RetryLater,
  type SluiceError,
} from "../../../src/errors.ts";
import { missingFileMs } from "../limits.ts";

const readable =
  "Give it read permission (chmod o+r, or chown), and each folder that leads to it search permission (chmod o+x).";

/** Codes that another try will not fix, with what to say about the file. */
const stops: Readonly<Record<string, readonly [what: string, hint: string]>> = {
  ENOENT: ["does not exist", "Check the path."],
  ENOTDIR: ["leads through something that is not a folder", "Check the path."],
  ELOOP: ["is a link that leads to itself, or was just put there", "Check the path."],
  ENAMETOOLONG: ["is too long for a path", "Check the path."],
  ENXIO: ["is a socket or a device", "Give a regular file."],
  EACCES: ["may not be read by this process", readable],
  EPERM: ["may not be read by this process", readable],
};

/** The meaning of a failed call on a file: a mistake in the configuration, or a disk that may recover in a while. */
export function fileError(
  error: unknown,
  place: string,
): { readonly error: SluiceError; readonly isMissing: boolean } {
  const code = errorCodeOf(error);
  const stop = stops[code];
  if (stop !== undefined) {
    const [what, hint] = stop;
    const isMissing = code === "ENOENT";
    const retryBudgetMs = isMissing ? missingFileMs : undefined;
    const facts = { field: "path", hint, cause: error, retryBudgetMs };
    return { error: new ConfigError(`${place} ${what}`, facts), isMissing };
  }
  return {
    error: new RetryLater(`${place} cannot be read: ${code || messageOf(error)}`, {
      cause: error,
    }),
    isMissing: false,
  };
}
