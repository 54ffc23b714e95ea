import { type Mutant, planting } from "../mutant.ts";

const hashed = planting({
  file: "test/src/pipeline/line-hashes.test.ts",
  title: "every bit of the hash of lines of pages tells it from others",
});

/** Bugs that no test noticed, as an audit of what each promise is proven by found. */
export const mutantsOfAudits: readonly Mutant[] = [
  hashed({
    id: "S2027",
    plants: "of the hash of a line 8 bits are kept: one changed row of 256 is called unchanged",
    file: "src/pipeline/line-hashes.ts",
    find: '  hashes.write(hash("sha256", line, "binary"), index * hashBytes, hashBytes, "latin1");\n',
    replace:
      "  hashes.fill(0, index * hashBytes, (index + 1) * hashBytes);\n" +
      '  hashes.write(hash("sha256", line, "binary"), index * hashBytes, 1, "latin1");\n',
  }),
];
