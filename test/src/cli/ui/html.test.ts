import { expect, it } from "vitest";

import { html, linkTo, withCode } from "../../../../src/cli/ui/html.ts";

it("escapes every value, in text and in attributes, but no piece of a page", () => {
  const attack = `'"><img src=x onerror=alert(1)>&amp;`;
  const shown = "&#39;&quot;&gt;&lt;img src=x onerror=alert(1)&gt;&amp;amp;";
  expect(html`<a title="${attack}">${[attack, 7, undefined]}</a>`.text).toBe(
    `<a title="${shown}">${shown}7</a>`,
  );
  expect(html`<p>${html`<b>${attack}</b>`}</p>`.text).toBe(`<p><b>${shown}</b></p>`);
  expect(withCode("do `sluice <x>` → now").text).toBe("do <code>sluice &lt;x&gt;</code> → now");
  expect(withCode("a `b").text).toBe("a b");
});

it("takes out what turns the direction of reading", () => {
  expect(html`${"a\u202Ecod.exe\u0000"}`.text).toBe("a cod.exe ");
});

it("writes what is asked so that nothing of it adds a member", () => {
  const path = linkTo("/rejects", { sync: "a&code=x#y", code: "", run: undefined });
  expect(new URL(path, "http://x").searchParams.get("sync")).toBe("a&code=x#y");
  expect(path).toBe("/rejects?sync=a%26code%3Dx%23y");
});
