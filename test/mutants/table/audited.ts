import { type Mutant, planting } from "../mutant.ts";

const hashed = planting({
  file: "test/src/pipeline/line-hashes.test.ts",
  title: "every bit of the hash of lines of pages tells it from others",
});

const failOver = planting({
  file: "test/src/cli/project/doctor.test.ts",
  title: "warns that a fail-over loses commits where there is a standby that none waits for",
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
  failOver({
    id: "S2028",
    plants: "doctor says nothing where a fail-over loses what was committed last",
    file: "src/state/postgres/look-at-store.ts",
    find: "losesOnFailOver: replicas > 0 && !isAwaited,",
    replace: "losesOnFailOver: replicas > 1e9 && !isAwaited,",
  }),
  failOver({
    id: "S2029",
    plants: "doctor warns of lost commits where each waits for a standby",
    file: "src/state/postgres/look-at-store.ts",
    find: "losesOnFailOver: replicas > 0 && !isAwaited,",
    replace: "losesOnFailOver: replicas > 0 && (isAwaited || true),",
  }),
];
