import { describe, expect, it } from "vitest";

import { http } from "../../../connectors/http/index.ts";

const url = "https://api.example.com/v1";

describe("the configuration of http", () => {
  it("needs an address alone, and reads all of it then", () => {
    const config = http.config.parse({ url });
    expect(config).toMatchObject({ id: "id", timeout: 30_000, query: {} });
    expect(http.restart?.(config)).toBe("each-run");
    const changed_by = { column: "updated_at", parameter: "since" };
    expect(http.restart?.(http.config.parse({ url, changed_by }))).toBe("resume");
  });

  it.each([
    [{}, "url"],
    [{ url: "api.example.com" }, "url"],
    [{ url: "ftp://api.example.com" }, "url"],
    [{ url: "https://sluice:pass@api.example.com" }, "url"],
    [{ url: `${url}?key=1` }, "url"],
    [{ url: "https://api.example.com:99999" }, "url"],
    [{ url: "https://api example.com" }, "url"],
    [{ url, token: "" }, "token"],
    [{ url, path: "companies" }, "path"],
    [{ url, path: "/companies?status=active" }, "path"],
    [{ url, path: "/companies#active" }, "path"],
    [{ url, rows: "data" }, "rows"],
    [{ url, cursor: { parameter: "c", pointer: "next" } }, "cursor"],
    [{ url, page_size: { parameter: "limit", rows: 0 } }, "page_size"],
    [
      { url, cursor: { parameter: "after", pointer: "/next" }, page_number: { parameter: "page" } },
      "page_number",
    ],
    [{ url, timeout: 5 }, "timeout"],
    [{ url, changed_by: { column: "updated_at" } }, "changed_by"],
  ])("refuses %o by its member", (members, field) => {
    expect(http.config.safeParse(members).error?.issues[0]?.path[0]).toBe(field);
  });
});
