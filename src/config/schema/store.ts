import { z } from "zod";

import { addressOf, isLocal } from "../../postgres/address.ts";
import { nameFault } from "../../postgres/names.ts";
import { urlFault } from "../../postgres/url.ts";
import { Secret } from "../../security/secret.ts";
import type { StoreServer } from "../../state/postgres/server.ts";

/** Follows the rules for names of syncs and connections, so that nobody confuses one name with another. */
const project = z
  .string("name the project, such as `project: customers`, the same on every host")
  .regex(
    /^[a-z][a-z0-9_-]{0,63}$/,
    'a project is named by a small letter and up to 63 small letters, digits, "_" or "-"',
  );

/** The place of a store in Postgres, as it is written in the file. */
export const storeSchema = z
  .strictObject({
    url: z
      .string()
      .superRefine((text, context) => {
        const url = new Secret(text);
        const fault = urlFault(url);
        if (fault !== undefined) context.addIssue(fault);
        else if (addressOf({ url }).tls === "require" || isOpen(url)) {
          const message =
            "the URL's sslmode lets others on the way read or change the state: leave it out, and the server's " +
            "certificate is checked";
          context.addIssue(message);
        }
      })
      .describe("postgres://user:password@host:5432/database, best as ${SLUICE_STORE_URL}."),
    schema: z
      .string()
      .superRefine((text, context) => {
        const fault = nameFault(text);
        if (fault !== undefined) context.addIssue(`this name ${fault}`);
      })
      .default("sluice")
      .describe("The schema of the tables; projects that share a database need one each."),
    project: project.describe(
      "Names this project, on every host alike: a schema that another one uses is refused.",
    ),
  })
  .describe(
    "Keeps the state in Postgres, for workers of several hosts, and not in the folder `state`.",
  );

/** Whether a connection to another host is not encrypted. */
function isOpen(url: Secret): boolean {
  const { host, tls } = addressOf({ url });
  return tls === "off" && !isLocal(host);
}

/** Where the store of a configuration is; undefined where it is in the state folder. */
export function storeServerOf(
  written: z.output<typeof storeSchema> | undefined,
): StoreServer | undefined {
  return written === undefined
    ? undefined
    : { url: new Secret(written.url), schema: written.schema, project: written.project };
}
