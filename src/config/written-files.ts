import { absolutePath } from "./document/absolute-path.ts";
import type { Mistake } from "./messages/mistakes.ts";
import { membersOf } from "./schema/members.ts";
import type { PullConfig } from "./schema/pull.ts";

/**
 * The mistakes of pulls that write the same file as another pull. Each replaces the whole file: at the same time, one
 * would remove what the other wrote.
 */
export function writtenFileMistakes(pulls: ReadonlyMap<string, PullConfig>): readonly Mistake[] {
  const writers = new Map<string, string>();
  const mistakes: Mistake[] = [];
  for (const { name, writeBack } of pulls.values()) {
    const file = absolutePath(membersOf(writeBack.connectorConfig), "file");
    if (file === undefined) continue;
    const other = writers.get(file);
    if (other === undefined) writers.set(file, name);
    else {
      const message = `pull ${other} writes this file: give each pull one of its own`;
      mistakes.push({ path: ["pulls", name, "write_back", "file"], on: "value", message });
    }
  }
  return mistakes;
}
