import { ConfigError } from "../errors.ts";
import { Secret } from "../security/secret.ts";

/** The environment as one process sees it. */
export type Environment = {
  /** SLUICE_HOST: the address that our servers bind. @default "127.0.0.1" */
  readonly host: string;
  /** SLUICE_LOG_FORMAT. @default "text" */
  readonly logFormat: "json" | "text";
  /** CI: no one watches, so nothing is asked and no progress bar is drawn. */
  readonly isCi: boolean;
  /** TEMPORAL_ADDRESS; undefined allows a server of our own to be started. */
  readonly temporalAddress: string | undefined;
  /** SLUICE_TEMPORAL_CACHE: the folder that keeps a downloaded or built Temporal server. */
  readonly temporalCache: string | undefined;
  /** SLUICE_UI_TOKEN: the token that `sluice ui` asks for; undefined asks for none. */
  readonly uiToken: Secret | undefined;
  /** HTTP_PROXY, HTTPS_PROXY and NO_PROXY, also in lower case; undefined when none of the first two is set. */
  readonly proxy:
    | {
        readonly httpProxy: string | undefined;
        readonly httpsProxy: string | undefined;
        readonly noProxy: string | undefined;
      }
    | undefined;
  /** OTEL_EXPORTER_OTLP_ENDPOINT: the collector to which a worker sends its traces; undefined traces nothing. */
  readonly otlpEndpoint: string | undefined;
  /** All variables, for `loadConfig`, which reads SLUICE_CONFIG and SLUICE_STATE_DIR from them. */
  readonly variables: Readonly<Record<string, string | undefined>>;
};

/**
 * Reads the environment; an empty variable counts as unset. No other file reads `process.env`.
 * @throws {ConfigError} SLUICE_LOG_FORMAT is neither text nor json.
 */
export function readEnvironment(variables: Environment["variables"] = process.env): Environment {
  const setting = (name: string): string | undefined => variables[name] || undefined;
  const logFormat = setting("SLUICE_LOG_FORMAT") ?? "text";
  if (logFormat !== "text" && logFormat !== "json") {
    throw new ConfigError("SLUICE_LOG_FORMAT must be text or json", { field: "SLUICE_LOG_FORMAT" });
  }
  const [httpProxy, httpsProxy, noProxy] = ["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"].map(
    (name) => setting(name) ?? setting(name.toLowerCase()),
  );
  const uiToken = setting("SLUICE_UI_TOKEN");
  const isProxied = httpProxy !== undefined || httpsProxy !== undefined;
  return {
    proxy: isProxied ? { httpProxy, httpsProxy, noProxy } : undefined,
    host: setting("SLUICE_HOST") ?? "127.0.0.1",
    logFormat,
    isCi: !["false", "0"].includes(setting("CI") ?? "false"),
    temporalAddress: setting("TEMPORAL_ADDRESS"),
    uiToken: uiToken === undefined ? undefined : new Secret(uiToken),
    temporalCache: setting("SLUICE_TEMPORAL_CACHE"),
    otlpEndpoint: setting("OTEL_EXPORTER_OTLP_ENDPOINT"),
    variables,
  };
}
