import { readFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";

import { expect, it } from "vitest";

import { inboxFileIn } from "../../src/inbox/file.ts";

const root = resolve(import.meta.dirname, "../..");
const inbox = `\`${basename(inboxFileIn("."))}\``;

it.each(["README.md", "docs/operations.md"])(
  "%s has the inbox backed up, after the store",
  (name) => {
    const [sentence = ""] =
      /Back up `state\.db`[^]*?\.\s/.exec(readFileSync(join(root, name), "utf8")) ?? [];
    expect(sentence).toContain(inbox);
  },
);
