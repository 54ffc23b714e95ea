import { programOnPath } from "./program-on-path.ts";

/**
 * The path of the browser that drives the Web UI in tests; `npm test` installs it where it may. @throws {Error} it is
 * not installed
 */
export function chromiumProgram(): string {
  return programOnPath("chromium");
}
