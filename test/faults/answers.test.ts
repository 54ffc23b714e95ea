import { isProving } from "../support/trials.ts";
import { showCells } from "./play/show.ts";
import { answers } from "./table/answers.ts";

showCells(answers, isProving ? "all" : "two");
