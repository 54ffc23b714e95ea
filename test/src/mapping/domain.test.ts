import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { domainOf } from "../../../src/mapping/domain.ts";
import { hostCharsMax } from "../../../src/mapping/limits.ts";
import { CoercionRefusal } from "../../../src/mapping/refusal.ts";

/** A host of this many characters. */
function hostOfLength(length: number): string {
  return (
    `${"a".repeat(60)}.`
      .repeat(5)
      .slice(0, length - 4)
      .replace(/\.$/, "a") + ".com"
  );
}

const reasons = {
  address: "is an IP address, not a domain",
  word: "is a single word, not a domain",
  "no host": "holds no host name",
  "no text": "is not text, so not a domain",
} as const;

describe("domainOf", () => {
  it.each([
    ["example.com", "example.com"],
    ["some-company.co.uk", "some-company.co.uk"],
    ["EXAMPLE.Com", "example.com"],
    ["www.example.com", "example.com"],
    ["WWW.www.example.com", "www.example.com"],
    ["www.com", "www.com"],
    ["shop.example.com", "shop.example.com"],
    ["https://www.Example.com:8080/a/b?c=d#e", "example.com"],
    ["http://user:password@example.com/", "example.com"],
    ["//example.com/a", "example.com"],
    ["http:example.com", "example.com"],
    ["htp://Example.com", "example.com"],
    ["example.com:443", "example.com"],
    ["example.com/path@2x.png", "example.com"],
    ["ada@Example.com", "example.com"],
    ["https://ada%40example.com:a,b;c@shop.example.com/@a,b", "shop.example.com"],
    ["mailto:ada@example.com", "example.com"],
    ["example.com.", "example.com"],
    ["müller.de", "xn--mller-kva.de"],
    ["xn--mller-kva.de", "xn--mller-kva.de"],
    ["faß.de", "xn--fa-hia.de"],
    ["例え.jp", "xn--r8jz45g.jp"],
    ["例え。jp", "xn--r8jz45g.jp"],
    ["ex%61mple.com", "example.com"],
    ["my_shop.example.com", "my_shop.example.com"],
  ])("reads %s as %s", (text, domain) => {
    expect(domainOf(text)).toBe(domain);
  });

  it.each<[unknown, keyof typeof reasons]>([
    ["1.2.3.4", "address"],
    ["http://0x7f.1/", "address"],
    ["http://2130706433/", "address"],
    ["[::1]", "address"],
    ["http://[2001:db8::1]:80/", "address"],
    ["localhost", "word"],
    ["http//example.com", "word"],
    ["n/a", "word"],
    ["256.1.1.1", "no host"],
    ["a.com b.com", "no host"],
    ["a.com,b.com", "no host"],
    ["foo@bar.com, baz@qux.com", "no host"],
    ["foo@bar.com;baz@qux.com", "no host"],
    ["foo@bar.com baz@qux.com", "no host"],
    ["bar.com,baz@qux.com", "no host"],
    ["mailto:foo@bar.com,baz@qux.com", "no host"],
    ["https://bar.com;https:foo@qux.com", "no host"],
    ["a.com\nb.com", "no host"],
    ["a.com\tb.com", "no host"],
    ["example..com", "no host"],
    [".com", "no host"],
    ["-a.com", "no host"],
    ["exa<mple.com", "no host"],
    ["javascript:alert(1)", "no host"],
    ["http://", "no host"],
    ["@", "no host"],
    ["?", "no host"],
    ["example.com:99999", "no host"],
    ["example.123", "no host"],
    [{}, "no text"],
    [7, "no text"],
  ])("refuses %j as %s", (value, reason) => {
    const result = domainOf(value);
    expect(result instanceof CoercionRefusal && [result.code, result.reason]).toEqual([
      "not_domain",
      reasons[reason],
    ]);
  });

  it("bounds the length of the host", () => {
    const lengths = [hostCharsMax - 1, hostCharsMax, hostCharsMax + 1];
    expect(lengths.map((length) => hostOfLength(length).length)).toEqual(lengths);
    expect(lengths.map((length) => typeof domainOf(hostOfLength(length)))).toEqual([
      "string",
      "string",
      "object",
    ]);
  });

  it("bounds the length of a label", () => {
    const domains = [62, 63, 64].map((length) => domainOf(`${"a".repeat(length)}.com`));
    expect(domains.map((domain) => typeof domain)).toEqual(["string", "string", "object"]);
  });

  it("agrees with the URL standard on every web address", () => {
    fc.assert(
      fc.property(fc.webUrl({ withFragments: true, withQueryParameters: true }), (url) => {
        expect(domainOf(url)).toBe(new URL(url).hostname.replace(/^www\.(?=.*\.)/, ""));
      }),
    );
  });

  it("reads its own result as itself", () => {
    fc.assert(
      fc.property(fc.oneof(fc.domain(), fc.emailAddress(), fc.string()), (text) => {
        const domain = domainOf(text);
        // A second www. is removed only when the domain is read again.
        const isStable = typeof domain === "string" && !domain.startsWith("www.");
        expect(isStable ? domainOf(domain) : domain).toBe(domain);
      }),
    );
  });
});
