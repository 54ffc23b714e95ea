/** A text of one file, and its replacement in the mutant. */
export type Edit = {
  /** Path from the root of the project. */
  readonly file: string;
  /** Occurs exactly once. */
  readonly find: string;
  readonly replace: string;
};

/** Tests of one file whose title holds a text. */
export type NamedTest = { readonly file: string; readonly title: string };

/**
 * A planted bug, and the test that must notice it. It is data rather than a patch file: a text that occurs exactly once
 * is still found when lines around it move, and a quick test notices when its code has changed.
 */
export type Mutant = {
  /** M1 to M28 are those of docs/facts/faults.md#mutants; S is for our own mechanisms. */
  readonly id: string;
  readonly plants: string;
  readonly edits: readonly [Edit, ...Edit[]];
  readonly test: NamedTest;
  /** Why no test of `npm test` notices it, if its test belongs to `npm run prove`: a `*.prove.ts`. */
  readonly whyProve?: string;
};

/** A bug planted by one edit; `file` is the edited file. */
export type Plant = Edit &
  Pick<Mutant, "id" | "plants"> & {
    /** The file of its test, and the test's title. @default those of most bugs of its table */
    readonly test?: string;
    readonly title?: string;
  };

/** Makes mutants for a table in which most are planted by one edit, and noticed by the same test. */
export function planting(usual: NamedTest): (plant: Plant) => Mutant {
  return ({ id, plants, test = usual.file, title = usual.title, ...edit }) => ({
    id,
    plants,
    edits: [edit],
    test: { file: test, title },
  });
}

/** The text with the edit made. @throws {Error} the text to find does not occur exactly once: the code has moved. */
export function applyEdit(text: string, { file, find, replace }: Edit): string {
  const [before = "", ...after] = text.split(find);
  const [rest] = after;
  if (rest === undefined || after.length > 1) {
    throw new Error(`${file} holds ${after.length} times, and not once: ${find.trim()}`);
  }
  return `${before}${replace}${rest}`;
}
