import { z } from "zod";

import { pullSource } from "../../../connectors/contract/connector.ts";
import { Secret } from "../../../src/security/secret.ts";
import { sampleConfig, samplePosition, type SampleConfig } from "../right-connection.ts";
import { rightAbilities, rightSource } from "../right.ts";
import type { Broken } from "./broken.ts";

const { url, table } = sampleConfig.shape;

/** The token is a plain string, which the right connector parses into a secret. */
const withPlainToken = sampleConfig.extend({ token: z.string().describe("Its bearer token.") });

function hidden({ token, ...config }: z.output<typeof withPlainToken>): SampleConfig {
  return { ...config, token: new Secret(token) };
}

/** Mistakes in a connector's configuration schema. */
export const settingMistakes: readonly Broken[] = [
  {
    name: "undescribed",
    what: "does not describe a member that has a default",
    check: "S1",
    make: () =>
      rightSource({ config: sampleConfig.extend({ table: z.string().min(1).default("rows") }) }),
  },
  {
    name: "plain token",
    what: "takes its token as a text",
    check: "S2",
    make: () =>
      pullSource({
        name: "plain token",
        config: withPlainToken,
        position: samplePosition,
        read: (ask) => rightAbilities.read({ ...ask, config: hidden(ask.config) }),
        readLimit: async (ask) =>
          await rightAbilities.readLimit({ ...ask, config: hidden(ask.config) }),
        rewind: ({ config, ...run }) => rightAbilities.rewind({ ...run, config: hidden(config) }),
      }),
  },
  {
    name: "loose schema",
    what: "passes over members that there are not, and so over typing mistakes",
    check: "S3",
    make: () => rightSource({ config: z.object(sampleConfig.shape) }),
  },
  {
    name: "coercing schema",
    what: "makes a text of whatever the configuration says",
    check: "S3",
    make: () =>
      rightSource({
        config: sampleConfig.extend({
          table: z.coerce.string().default("rows").describe("What is read."),
        }),
      }),
  },
  {
    name: "url or host",
    what: "says only as a whole that one of two members is missing",
    check: "S4",
    make: () => {
      const either = sampleConfig.extend({
        url: url.optional().describe("Where the server is."),
        host: z.string().optional().describe("Where it is, without a scheme."),
      });
      const whole = either
        .refine((given) => given.url !== undefined || given.host !== undefined, "no server given")
        .transform(({ host, url: at = `http://${host}`, ...rest }) => ({ url: at, ...rest }));
      return rightSource({ config: whole });
    },
  },
  {
    name: "default of the environment",
    what: "fills in a required member with nothing, and leaves the complaint to the server",
    check: "S4",
    make: () =>
      rightSource({
        config: sampleConfig.extend({
          table: table.describe("What is read."),
          url: z.preprocess((value) => value ?? "", z.string()).describe("Where the server is."),
        }),
      }),
  },
];
