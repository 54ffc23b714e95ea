import { chmod, stat } from "node:fs/promises";

const nobody = 65_534;

/**
 * Drops the superuser's rights, which no file mode stops. Returns a function that restores them; until then this
 * process may not even remove what it made.
 */
function becomeNobody(): () => void {
  if (process.getuid?.() !== 0) return () => undefined;
  process.seteuid?.(nobody);
  return () => process.seteuid?.(0);
}

/** Gives a file or folder a mode that applies to this process, even as root. Returns a function that restores it. */
export async function lock(path: string, mode = 0o000): Promise<() => Promise<void>> {
  const { mode: own } = await stat(path);
  await chmod(path, mode);
  const becomeAgain = becomeNobody();
  return async () => {
    becomeAgain();
    await chmod(path, own);
  };
}
