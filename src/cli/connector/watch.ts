import { readdirSync, watch, type FSWatcher } from "node:fs";
import { basename, dirname, join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** Files that are watched. */
export type SourcesWatch = Disposable & {
  /** The path of the first that was saved, once its writing is over. */
  readonly changed: Promise<string>;
};

/** What code and configurations are written in: data that a connector reads or writes there is not one of it. */
const watched = /\.(?:[cm]?[jt]s|json|ya?ml)$/;

/** An editor writes a file in several steps. */
const settleMs = 50;

/** Watches the code of a folder until it is disposed of. */
export function watchSources(what: {
  readonly folder: string;
  /** Whether the folders in it are watched, too. */
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
  // A folder that is removed is watched no longer, and that is all.
  return watcher.on("error", () => watcher.close());
}

/** A folder with those in it, but for packages and what is hidden. */
function foldersIn(folder: string): readonly string[] {
  const inside = readdirSync(folder, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && entry.name !== "node_modules" && !entry.name.startsWith("."),
  );
  return [folder, ...inside.flatMap(({ name }) => foldersIn(join(folder, name)))];
}
