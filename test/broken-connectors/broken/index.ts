import { abilityMistakes } from "./abilities.ts";
import type { Broken } from "./broken.ts";
import { failureMistakes } from "./failures.ts";
import { movingMistakes } from "./moving.ts";
import { pagingMistakes } from "./paging.ts";
import { positionMistakes } from "./positions.ts";
import { pushMistakes } from "./push.ts";
import { resourceMistakes } from "./resources.ts";
import { settingMistakes } from "./settings.ts";
import { valueMistakes } from "./values.ts";
import { writeMistakes } from "./write.ts";

/** Every broken connector, one mistake each. */
export const brokenConnectors: readonly Broken[] = [
  ...settingMistakes,
  ...pagingMistakes,
  ...positionMistakes,
  ...movingMistakes,
  ...resourceMistakes,
  ...valueMistakes,
  ...failureMistakes,
  ...abilityMistakes,
  ...writeMistakes,
  ...pushMistakes,
];
