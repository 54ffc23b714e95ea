import { errorCodeOf, messageOf } from "../../errors.ts";

/** Why a file could not be read, as the end of a sentence. */
export function readFault(error: unknown): string {
  if (isMissing(error)) return "there is no such file";
  if (isFolder(error)) return "it is a folder";
  return ["EACCES", "EPERM"].includes(errorCodeOf(error)) ? "permission denied" : messageOf(error);
}

/** Whether a file could not be read because it is not there. */
export function isMissing(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR"].includes(errorCodeOf(error));
}

/** Whether a file could not be read because it is a folder. */
export function isFolder(error: unknown): boolean {
  return errorCodeOf(error) === "EISDIR";
}
