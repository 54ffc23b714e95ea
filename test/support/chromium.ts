import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * The path of the browser that the tests of the Web UI drive; `npm test` installs it where it may. @throws
 * {Error} there is none
 */
export function chromiumProgram(): string {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const found = folders.map((folder) => join(folder, "chromium")).find(isProgram);
  if (found === undefined) {
    throw new Error(
      "there is no browser: install chromium (Debian: apt-get install chromium), or put one of that name on the PATH",
    );
  }
  return found;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
