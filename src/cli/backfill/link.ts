import { backfillId } from "../../backfill/template.ts";
import type { Config } from "../../config/config.ts";
import { ConfigError } from "../../errors.ts";
import { temporalOptions } from "../../local/connect.ts";
import { findService } from "../../local/shared-service.ts";
import type { Context } from "../output/context.ts";
import { isTemporalConfigured } from "../running/services.ts";

/** Where the start form is; `remark` says what is missing from the address. */
type FormLink = { readonly url: string; readonly remark?: string };

/** An address as the beginning of a link. @throws {ConfigError} it is not an http or https address. */
function originOf(ui: string): string {
  const url = URL.parse(ui);
  if (url !== null && /^https?:$/.test(url.protocol)) return url.href.replace(/[/?#]*$/, "");
  throw new ConfigError("--ui must be the address of Temporal's Web UI", {
    field: "ui",
    hint: "such as --ui http://127.0.0.1:8233",
  });
}

/** The address of the embedded server's Web UI; undefined while it does not run. Starts nothing. */
function embeddedUi({ stateFolder }: Config): string | undefined {
  return findService({ folder: stateFolder, name: "temporal" })?.addresses["ui"];
}

/** The link to a workflow in the embedded server's Web UI; undefined while none runs, or if Temporal is another. */
export function workflowLink(
  context: Pick<Context, "environment">,
  config: Config,
  workflowId: string,
): string | undefined {
  const address = isTemporalConfigured(context) ? undefined : embeddedUi(config);
  if (address === undefined) return undefined;
  return `${originOf(address)}/namespaces/default/workflows/${encodeURIComponent(workflowId)}`;
}

/** The path of the Web UI's form that starts a workflow. */
function startFormPath(
  { temporal }: Pick<Config, "temporal">,
  namespace: string,
  members: Readonly<Record<string, string>>,
): string {
  const asked = new URLSearchParams({ taskQueue: temporal.taskQueue, ...members });
  return `/namespaces/${encodeURIComponent(namespace)}/workflows/start-workflow?${asked.toString()}`;
}

/**
 * A deep link to the form of the embedded server's Web UI that starts a workflow of a type; undefined while none runs,
 * or if Temporal is another.
 */
export function startFormLink(
  context: Pick<Context, "environment">,
  config: Config,
  workflowType: "backfill" | "sync",
): string | undefined {
  const address = isTemporalConfigured(context) ? undefined : embeddedUi(config);
  if (address === undefined) return undefined;
  return `${originOf(address)}${startFormPath(config, "default", { workflowType })}`;
}

/**
 * A deep link to the Web UI's start form of a backfill. It names the workflow's id, because the form is prefilled from
 * the newest run of that id. For a Temporal that is not ours, the address of its Web UI is unknown: the link is then
 * the path alone, unless `ui` gives the address.
 */
export function formLink(
  context: Pick<Context, "environment">,
  config: Config,
  { sync, ui }: { readonly sync: string; readonly ui: string | undefined },
): FormLink {
  const { taskQueue } = config.temporal;
  const isOther = isTemporalConfigured(context);
  const { namespace = "default" } = isOther ? temporalOptions(undefined) : {};
  const workflowId = backfillId({ sync, taskQueue });
  const path = startFormPath(config, namespace, { workflowType: "backfill", workflowId });
  const address = ui === undefined ? (isOther ? undefined : embeddedUi(config)) : originOf(ui);
  if (address !== undefined) return { url: `${address}${path}` };
  const remark = isOther
    ? "put the address of Temporal's Web UI before it, or say it with --ui"
    : "no Temporal of this project runs: `sluice dev` starts one and says where its Web UI is";
  return { url: path, remark };
}
