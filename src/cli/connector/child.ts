// The process in which `sluice connector dev` reads. Loading the whole command line would take half a second more.
import { readEnvironment } from "../../config/environment.ts";
import { exitCodeOfError } from "../output/exit-code.ts";
import { endWithPipe, output, showError } from "../output/output.ts";
import { readRequest, readOnce } from "./read.ts";

const request = readRequest.parse(JSON.parse(process.argv[2] ?? ""));
endWithPipe();
try {
  await readOnce(request, { ...output, environment: readEnvironment() });
} catch (error) {
  showError(error, { isJson: request.json === true });
  output.exit(exitCodeOfError(error));
}
