import type { Discovery } from "../../../connectors/contract/connector.ts";
import { sourcesOf } from "../../../connectors/registry.ts";
import { ConfigError } from "../../errors.ts";
import { plainJson, plainText } from "../../text/plain-text.ts";
import { discoveriesDefault } from "../limits.ts";
import { connectionNamed } from "../named.ts";
import { configOf, withGlobals } from "../output/context.ts";
import type { GlobalOptions, Register } from "../output/context.ts";
import { positive } from "../positive.ts";
import { nothingReadable } from "./nothing-readable.ts";
import { sampleOf, typedBy } from "./sample.ts";
import { suggestSyncs, yamlOf, type SuggestedSync } from "./suggest-sync.ts";

type DiscoverOptions = GlobalOptions & { readonly limit: number };

/** `sluice discover [connection]`. */
export const registerDiscover: Register = (program, context) => {
  withGlobals(program.command("discover [connection]"), "lines")
    .description(
      "show what a connection can read, with syncs to paste; without a name, the only one",
    )
    .option("-n, --limit <count>", "how many tables or files", positive, discoveriesDefault)
    .action(async (given: string | undefined, options: DiscoverOptions) => {
      const project = await configOf(context, options);
      const { name, connector, config } = connectionNamed(project, given);
      const source = sourcesOf(project).get(connector);
      if (source?.discover === undefined) {
        throw new ConfigError(`the connector ${connector} cannot list what there is to read`);
      }
      const { signal } = new AbortController();
      const log = { info: context.say, warn: context.say };
      // One more than is shown, to see whether there are others.
      const found = await source.discover({ config, signal, log, max: options.limit + 1 });
      if (found.length === 0) throw nothingReadable(connector, config);
      const shown: Discovery[] = [];
      for (const one of found.slice(0, options.limit)) {
        // A file has no types: its first rows show them.
        const isFile = connector === "csv";
        const own: unknown = Object.assign({}, config, one.from);
        shown.push(
          isFile ? typedBy(await sampleOf(source, { config: own, signal, log }), one) : one,
        );
      }
      const syncs = suggestSyncs(name, shown, [...project.syncs.keys(), ...project.pulls.keys()]);
      const pairs = shown.flatMap((one, index): Suggestion[] => {
        const sync = syncs[index];
        return sync === undefined ? [] : [[one, sync]];
      });
      if (options.json) {
        for (const pair of pairs) context.print(plainJson(jsonOf(pair)));
      } else if (pairs.length > 0) {
        context.print(["syncs:", ...pairs.flatMap(linesOf)].join("\n"));
      }
      if (found.length > shown.length) context.say(`there are more than ${options.limit}: --limit`);
    });
};

type Suggestion = readonly [found: Discovery, sync: SuggestedSync];

/** Lines of YAML, so that all of them can go into a file: the findings are comments. */
function linesOf([found, sync]: Suggestion): readonly string[] {
  const comments = [summaryOf(found), ...sync.notes].map((text) => `# ${text}`);
  const lines = [...comments, ...yamlOf(sync).trimEnd().split("\n")];
  return lines.map((line) => `  ${plainText(line)}`);
}

function summaryOf({ name, columns, key, from }: Discovery): string {
  const counted = `${columns.length} ${columns.length === 1 ? "column" : "columns"}`;
  const named = key.length === 0 ? "no key" : `key ${key.join(", ")}`;
  const changes = "changed_by" in from ? "reads what changed" : "reads everything in each run";
  return `${name}: ${counted}, ${named}, ${changes}`;
}

function jsonOf([found, { name, notes, ...members }]: Suggestion): object {
  const columns = found.columns.map(({ isNullable, ...column }) => ({
    ...column,
    is_nullable: isNullable,
  }));
  return { ...found, columns, suggested: { name, ...members }, notes };
}
