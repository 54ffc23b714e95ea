import { isProving } from "../support/trials.ts";
import { showCells } from "./play/show.ts";
import { bodies } from "./table/bodies.ts";

showCells(bodies, isProving ? "all" : "two");
