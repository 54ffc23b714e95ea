import { http } from "../../connectors/http/index.ts";
import { conform } from "../../testing/conform.ts";
import { httpHarnesses } from "./harnesses/http-harness.ts";

const [first] = await httpHarnesses();
if (first === undefined) throw new Error("http has no harness");

conform(http, first.harness);
