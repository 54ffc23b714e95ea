import { z } from "zod";

import { duration } from "../../src/config/schema/units.ts";
import { secret } from "../contract/connector.ts";

const text = z.string().min(1);
const parameter = text.describe("The name of the query parameter.");
const pointer = z.string().regex(/^\//, "a JSON pointer: /meta").describe("A JSON pointer to it.");

const pageSize = z.strictObject({
  parameter,
  rows: z.int().min(1).describe("The number of rows."),
});

const pageNumber = z.strictObject({
  parameter,
  first: z.int().default(1).describe("The number of the first page."),
});

const changedBy = z.strictObject({
  column: text.describe("Times, all in one format and zone, or whole numbers from 0."),
  parameter,
});

/** The members of a connection to an HTTP API. */
export const httpConfig = z
  .strictObject({
    url: text
      .regex(/^https?:\/\/[^@?#]+$/, { message: "not an address alone", abort: true })
      .refine((url) => URL.canParse(url), "not an address")
      .describe("The API's address."),
    path: text
      .regex(/^\/[^?#]*$/, "not a path alone, such as /contacts: parameters go under `query`")
      .optional()
      .describe("What is read, after the path of `url`."),
    rows: pointer.optional().describe("The JSON pointer to the list of rows. Unset: the answer."),
    id: text.default("id").describe("The member that names a row."),
    query: z.record(text, text).default({}).describe("Further parameters: filters, order."),
    page_size: pageSize.optional().describe("Rows to ask for."),
    cursor: z.strictObject({ parameter, pointer }).optional().describe("Each page names the next."),
    page_number: pageNumber.optional().describe("Pages have numbers."),
    changed_by: changedBy.optional().describe("Reads what changed."),
    token: secret().optional().describe("Sent as a bearer token."),
    user: text.optional().describe("In place of `token`: sent as HTTP Basic has it."),
    password: secret().optional().describe("The password of `user`, if there is one."),
    timeout: duration().prefault("30s").describe("How long one request may take in all."),
  })
  .refine((config) => config.cursor === undefined || config.page_number === undefined, {
    path: ["page_number"],
    message: "there is a cursor already: remove one of the two",
  });

/** An HTTP connection as the connector uses it. */
export type HttpConfig = z.output<typeof httpConfig>;
