import { showCells } from "./show.ts";
import { answers } from "./table/answers.ts";

showCells(answers);
