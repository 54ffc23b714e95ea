import { chmod, stat } from "node:fs/promises";

const nobody = 65_534;

/**
 * Lets this process be nobody, when it is the superuser, whom no mode of a file stops. Answers what makes it
 * itself again; until then it may not even remove what it made.
 */
function becomeNobody(): () => void {
  if (process.getuid?.() !== 0) return () => undefined;
  process.seteuid?.(nobody);
  return () => process.seteuid?.(0);
}

/** Gives a file or folder a mode that counts for this process, whoever it is. Answers what takes it back. */
export async function lock(path: string, mode = 0o000): Promise<() => Promise<void>> {
  const { mode: own } = await stat(path);
  await chmod(path, mode);
  const becomeAgain = becomeNobody();
  return async () => {
    becomeAgain();
    await chmod(path, own);
  };
}
