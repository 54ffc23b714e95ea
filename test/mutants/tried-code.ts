import { hash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";

import { readCode } from "./kit/tokens.ts";
import type { Mutant } from "./mutant.ts";

const digits = 8;

/**
 * A hash of everything that a mutant's verdict depends on: its edits, its test's title, and the code of the files that
 * it edits and of its test's. Comments and layout do not count, so that they make no verdict stale.
 */
export async function codeOf(
  root: string,
  { edits, test }: Pick<Mutant, "edits" | "test">,
): Promise<string> {
  const paths = [...new Set([...edits.map(({ file }) => file), test.file])];
  const codes = await Promise.all(paths.map(async (path) => await codeIn(join(root, path))));
  return hash("sha256", JSON.stringify([edits, test, codes])).slice(0, digits);
}

/**
 * The code of a file without comments; its whole text if it cannot be parsed, and nothing for a file that has moved.
 */
async function codeIn(path: string): Promise<readonly string[]> {
  const text = await readFile(path, "utf8").catch(() => "");
  try {
    return readCode(text).tokens.map((token) => token.text);
  } catch {
    return [text];
  }
}
