import { conform } from "sluice/testing";

import { bench } from "./bench.ts";
import { source } from "./index.ts";

conform(source, bench);
