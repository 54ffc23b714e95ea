import { describe, expect, it } from "vitest";

import { recordSchemas } from "../../../src/records/schemas.ts";
import { keyFieldOf, shapeOf, streams } from "../../../src/records/streams.ts";

describe("shapeOf", () => {
  it.each(streams)("names the fields that the schema of %s has", (stream) => {
    const { discriminator, textFields, propertiesField } = shapeOf(stream);
    expect(Object.keys(recordSchemas[stream].shape).toSorted()).toEqual(
      [discriminator, ...textFields, propertiesField].toSorted(),
    );
  });
});

describe("keyFieldOf", () => {
  it("names the id of each stream", () => {
    expect(streams.map(keyFieldOf)).toEqual(["account_id", "contact_id", "event_id", "event_id"]);
  });
});
