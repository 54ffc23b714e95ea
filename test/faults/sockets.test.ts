import { isProving } from "../support/trials.ts";
import { showCells } from "./play/show.ts";
import { sockets } from "./table/sockets.ts";

showCells(sockets, isProving ? "all" : "two");
