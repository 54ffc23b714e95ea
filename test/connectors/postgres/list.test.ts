import { describe, expect, it } from "vitest";

import { listJson } from "../../../connectors/postgres/list.ts";
import { RetryLater } from "../../../src/errors.ts";

function json(text: string): unknown {
  return listJson(text, ",", (item) => JSON.stringify(item));
}

describe("listJson", () => {
  it.each([
    ["{}", "[]"],
    ['{a,"b,\\"c\\\\",NULL,"NULL"}', '["a","b,\\"c\\\\",null,"NULL"]'],
    ["[0:1][1:2]={{a,b},{c,d}}", '[["a","b"],["c","d"]]'],
  ])("makes of %s %s", (text, list) => {
    expect(json(text)).toBe(list);
  });

  it.each(["{a", '{"a', '{"a\\', "{a,b", '{"a\\"'])("takes %s for altered on its way", (text) => {
    expect(() => json(text)).toThrow(RetryLater);
    expect(() => json(text)).toThrow("a row of the server does not hold as many bytes as it says");
  });
});
