import type { Config, SyncConfig } from "../../src/config/config.ts";
import { pushedConfigOf } from "../../src/config/schema/sources.ts";
import type { Source } from "./connector.ts";
import type { Endpoint, PushSource } from "./push.ts";

/** A connection that is pushed to. */
export type Pushed = {
  readonly connection: string;
  readonly push: PushSource;
  /** Output of its connector's schema. */
  readonly config: unknown;
  readonly endpoint: Endpoint;
  /** The syncs that read it, in the order of the configuration. */
  readonly syncs: readonly SyncConfig[];
};

/** The connections of a configuration that are pushed to; `sources` are the connectors by name. */
export function pushConnections({
  config: { connections, syncs },
  sources,
}: {
  readonly config: Pick<Config, "connections" | "syncs">;
  readonly sources: ReadonlyMap<string, Source>;
}): readonly Pushed[] {
  return [...connections.values()].flatMap(({ name, connector, config: own }): Pushed[] => {
    const push = sources.get(connector)?.push;
    if (push === undefined) return [];
    const config = pushedConfigOf(own).settings;
    const readers = [...syncs.values()].filter(({ connection }) => connection === name);
    return [{ connection: name, push, config, endpoint: push.endpoint(config), syncs: readers }];
  });
}
