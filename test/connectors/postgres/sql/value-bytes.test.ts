import { expect, it } from "vitest";

import { grownBytesMax, writerOf } from "../../../../connectors/postgres/sql/value-bytes.ts";
import { conversionOf } from "../../../../connectors/postgres/sql/values.ts";

const zones = ["", "+00", "+01", "+02", "-00", "-02", "+05:30", "+00:00", "+10", "+0", "00", "Z"];

it.each(["timestamp with time zone", "timestamp without time zone"])(
  "writes a %s as it is converted, and leaves one that is not in UTC to objects",
  (type) => {
    const column = { type, isText: false, items: undefined };
    const [write, convert] = [writerOf(column), conversionOf(column)];
    if (write === undefined || convert === undefined) throw new Error("no conversion");
    let written = 0;
    for (const fraction of ["", ".5", ".000001", ".1234567"]) {
      for (const zone of zones) {
        const text = `2024-07-01 14:00:00${fraction}${zone}`;
        const out = Buffer.alloc(text.length + grownBytesMax);
        const bytes = Buffer.from(text);
        const end = write({ bytes, from: 0, to: bytes.length }, out, 0);
        if (end === -1) continue;
        written += 1;
        expect([text, out.toString("utf8", 0, end)]).toEqual([text, convert(text)]);
      }
    }
    expect(written).toBeGreaterThan(2);
  },
);

it.each(["constructor", "__proto__"])(
  "leaves values of a type of the name %s as they are",
  (type) => {
    expect(writerOf({ type, isText: false, items: undefined })).toBeUndefined();
  },
);
