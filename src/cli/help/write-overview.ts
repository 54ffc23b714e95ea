// Run by the build, once dist is there.
import { readEnvironment } from "../../config/environment.ts";
import { output } from "../output/output.ts";
import { createProgram } from "../program.ts";
import { writeOverview } from "./overview.ts";

const context = { ...output, environment: readEnvironment({}), cwd: process.cwd() };
writeOverview(await createProgram(context));
