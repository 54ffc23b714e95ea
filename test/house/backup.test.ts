import { readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";

import { expect, it } from "vitest";

import { inboxFileIn } from "../../src/inbox/file.ts";

const root = resolve(import.meta.dirname, "../..");
const inbox = `\`${basename(inboxFileIn("."))}\``;

it("docs/operations.md has the inbox backed up, after the store", () => {
  const text = readFileSync(join(root, "docs/operations.md"), "utf8");
  const sentences = text.match(/Back up `state\.db`[^]*?\.\s/g) ?? [];
  expect(sentences.length).toBeGreaterThan(0);
  for (const sentence of sentences) expect(sentence).toContain(inbox);
});
