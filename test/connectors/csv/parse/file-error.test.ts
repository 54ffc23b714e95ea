import { describe, expect, it } from "vitest";

import { missingFileMs } from "../../../../connectors/csv/limits.ts";
import { fileError } from "../../../../connectors/csv/parse/file-error.ts";
import { ConfigError, RetryLater } from "../../../../src/errors.ts";

function failure(code: string): Error {
  return Object.assign(new Error(`${code}: said by the system`), { code });
}

describe("fileError", () => {
  it.each([
    ["ENOENT", "a.csv does not exist"],
    ["ENOTDIR", "a.csv leads through something that is not a folder"],
    ["ELOOP", "a.csv is a link that leads to itself, or was just put there"],
    ["ENAMETOOLONG", "a.csv is too long for a path"],
    ["ENXIO", "a.csv is a socket or a device"],
    ["EACCES", "a.csv may not be read by this process"],
    ["EPERM", "a.csv may not be read by this process"],
  ])("stops at %s", (code, message) => {
    const { error, isMissing } = fileError(failure(code), "a.csv");
    expect(error).toBeInstanceOf(ConfigError);
    expect(error).toMatchObject({ message, field: "path" });
    expect(error.hint).toMatch(/\.$/);
    expect(isMissing).toBe(code === "ENOENT");
    expect(error).toHaveProperty("retryBudgetMs", isMissing ? missingFileMs : undefined);
  });

  it.each(["EIO", "EMFILE", "ESTALE"])("lets %s be tried again", (code) => {
    const { error } = fileError(failure(code), "a.csv");
    expect(error).toBeInstanceOf(RetryLater);
    expect(error.message).toBe(`a.csv cannot be read: ${code}`);
  });

  it("keeps the text of an error without a code", () => {
    expect(fileError(new Error("odd"), "a.csv").error.message).toBe("a.csv cannot be read: odd");
  });
});
