import { dirname, resolve } from "node:path";

import { assembleConfig } from "./assemble.ts";
import type { Config } from "./config.ts";
import { parseConfigDocument } from "./document/document.ts";
import { findConfigFile } from "./document/find.ts";
import type { ConfigSearch } from "./document/find.ts";
import { readNamedFiles } from "./document/named-files.ts";
import { readVariables } from "./document/variables.ts";
import { endpointMistakes } from "./endpoints.ts";
import { withExternal, type ExternalName } from "./external.ts";
import { echoMistakes } from "./feedback-loop.ts";
import { guardrailMistakes } from "./guardrails.ts";
import { mappingMistakes } from "./mappings.ts";
import { checkData, problemsAt } from "./messages/mistakes.ts";
import { configError } from "./messages/problems.ts";
import { nameMistakes } from "./names.ts";
import { notifyMistakes } from "./schema/notify.ts";
import { configSchema } from "./schema/schema.ts";
import { resolveSources } from "./schema/sources.ts";
import type { ConnectorSchema } from "./schema/sources.ts";
import { storeServerOf } from "./schema/store.ts";
import { verifyMistakes } from "./verify.ts";
import { writtenFileMistakes } from "./written-files.ts";

/**
 * Finds, reads and checks `sluice.yaml`.
 * @throws {ConfigError} there is none, or something is wrong with it: then the message lists every problem, each as
 * `sluice.yaml:12:7: …` with the line and a caret under it.
 */
export async function loadConfig(
  search: ConfigSearch & {
    /** The available connectors, by name. */
    readonly connectors: ReadonlyMap<string, ConnectorSchema>;
    /** Loads an external connector. @default there are none @throws {ConfigError} it cannot be loaded. */
    readonly loadConnector?: (named: ExternalName) => Promise<ConnectorSchema>;
  },
): Promise<Config> {
  const file = await findConfigFile(search);
  const folder = dirname(file.path);
  const variables = await readVariables(folder, search.env);
  const document = parseConfigDocument(file.text, variables);
  const shown = { name: file.name, text: document.shownText };
  if (!document.isReadable) throw configError(shown, document.problems);

  const { data } = document;
  const members = checkData(configSchema, data);
  const state = variables.get("SLUICE_STATE_DIR") || members.output?.state;
  const stateFolder = resolve(folder, state ?? ".sluice");
  const { connectors: known, loadConnector: load } = search;
  const { connectors, unloaded } = await withExternal(data, { folder, known, load });
  const inbox = { stateFolder, store: storeServerOf(members.output?.store) };
  const sources = resolveSources({ data, connectors, unloaded, folder, inbox });
  const files = await readNamedFiles(data, folder);
  const found = [members, sources, files].flatMap(({ mistakes }) => mistakes);
  const problems = [
    ...problemsAt(document, [
      ...found,
      ...mappingMistakes(data),
      ...notifyMistakes(data),
      ...nameMistakes(data),
      ...endpointMistakes(sources.connections, connectors),
    ]),
    ...document.problems,
  ];
  if (problems.length > 0 || members.output === undefined) throw configError(shown, problems);

  const config = assembleConfig({
    file,
    members: members.output,
    sources,
    files,
    connectors,
    writtenKey: document.writtenAt(["api", "api_key"]),
    stateFolder,
  });
  const between = [
    ...echoMistakes(config),
    ...writtenFileMistakes(config.pulls),
    ...guardrailMistakes(config),
    ...verifyMistakes(config),
  ];
  if (between.length > 0) throw configError(shown, problemsAt(document, between));
  return config;
}
