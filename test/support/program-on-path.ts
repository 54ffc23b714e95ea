import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";

/** The path of a program of a Debian package. @throws {Error} it is not on the PATH; says how to get it */
export function programOnPath(name: string, debianPackage = name): string {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const found = folders.map((folder) => join(folder, name)).find(isProgram);
  if (found !== undefined) return found;
  throw new Error(
    `there is no ${name}: install it (Debian: apt-get install ${debianPackage}), or put one of that name on the PATH`,
  );
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
