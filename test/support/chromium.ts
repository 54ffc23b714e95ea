import { programOnPath } from "./program-on-path.ts";

/**
 * The path of the browser that the tests of the Web UI drive; `npm test` installs it where it may. @throws
 * {Error} there is none
 */
export function chromiumProgram(): string {
  return programOnPath("chromium");
}
