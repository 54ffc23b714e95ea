import { readdirSync, watch, type FSWatcher } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** A watch over files. */
export type SourcesWatch = Disposable & {
  /** The path of the first file that was saved, once its writing is over. */
  readonly changed: Promise<string>;
};

/** The file types of code and configurations; data that a connector reads or writes is not among them. */
const watched = /\.(?:[cm]?[jt]s|json|ya?ml)$/;

/** An editor writes a file in several steps. */
const settleMs = 50;

/** Watches the code of a folder until it is disposed of. */
export function watchSources(what: {
  readonly folder: string;
  /** Whether the folders inside are watched too. */
  readonly isDeep: boolean;
  /** One more file, wherever it is. */
  readonly besides: string | undefined;
}): SourcesWatch {
  const { folder, isDeep, besides } = what;
  const { promise, resolve } = Promise.withResolvers<string>();
  const watchers = (isDeep ? foldersIn(folder) : [folder]).map((each) =>
    watchFolder(each, (name) => watched.test(name), resolve),
  );
  if (besides !== undefined) {
    watchers.push(watchFolder(dirname(besides), (name) => name === basename(besides), resolve));
  }
  return {
    changed: promise.then(async (path) => {
      await wait(settleMs);
      return path;
    }),
    [Symbol.dispose]: () => {
      for (const watcher of watchers) watcher.close();
    },
  };
}

function watchFolder(
  folder: string,
  isWatched: (name: string) => boolean,
  changed: (path: string) => void,
): FSWatcher {
  const watcher = watch(folder, (_, name) => {
    if (name !== null && isWatched(name)) changed(join(folder, name));
  });
  // A folder that was removed is no longer watched, and that is all.
  return watcher.on("error", () => watcher.close());
}

/** A folder and the folders inside it, except packages and hidden ones. */
function foldersIn(folder: string): readonly string[] {
  const inside = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && entry.name !== "node_modules" && !entry.name.startsWith("."),
  );
  return [folder, ...inside.flatMap(({ name }) => foldersIn(join(folder, name)))];
}
