import { conform } from "sluice/testing";

import { harness } from "./harness.ts";
import { source } from "./index.ts";

conform(source, harness);
