import { inspect } from "node:util";

import { describe, expect, it } from "vitest";
import { z } from "zod";

import { packSecrets, Secret, unpackSecrets } from "../../../src/security/secret.ts";

describe("a Secret", () => {
  it("is not printed, whichever way", () => {
    const secret = new Secret("word");
    const printed = [
      String(secret),
      JSON.stringify([secret]),
      inspect(secret, { showHidden: true }),
    ];
    expect(printed).toEqual(["[secret]", '["[secret]"]', "[secret]"]);
    expect(secret.reveal()).toBe("word");
  });
});

describe("packSecrets", () => {
  const secrets = z.object({
    url: z.instanceof(Secret),
    list: z.tuple([z.literal(1), z.object({ key: z.instanceof(Secret) })]),
  });

  it("carries secrets, and all that is beside them, through a structured clone", () => {
    const beside = { when: new Date(0), none: null, path: "a.csv", header: true };
    const data = { url: new Secret("word"), list: [1, { key: new Secret("other") }], ...beside };
    const arrived = unpackSecrets(structuredClone(packSecrets(data)));
    const { url, list } = secrets.parse(arrived);
    expect([url.reveal(), list[1].key.reveal()]).toEqual(["word", "other"]);
    expect(arrived).toMatchObject(beside);
  });
});
