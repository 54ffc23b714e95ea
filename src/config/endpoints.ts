import type { Mistake } from "./messages/mistakes.ts";
import { pushedConfigOf, type ConnectionConfig, type ConnectorSchema } from "./schema/sources.ts";

/** The mistakes of pushed connections that have the path of another one. */
export function endpointMistakes(
  connections: ReadonlyMap<string, ConnectionConfig>,
  connectors: ReadonlyMap<string, ConnectorSchema>,
): readonly Mistake[] {
  const takenBy = new Map<string, string>();
  return [...connections.values()].flatMap(({ name, connector, config }): Mistake[] => {
    const push = connectors.get(connector)?.push;
    if (push === undefined) return [];
    const { path } = push.endpoint(pushedConfigOf(config).settings);
    const other = takenBy.get(path);
    if (other === undefined) {
      takenBy.set(path, name);
      return [];
    }
    const message = `connection ${other} has this path already`;
    return [{ path: ["connections", name, "path"], on: "value", message }];
  });
}
