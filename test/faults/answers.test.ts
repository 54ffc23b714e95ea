import { showCells } from "./play/show.ts";
import { answers } from "./table/answers.ts";

showCells(answers);
