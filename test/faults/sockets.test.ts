import { showCells } from "./show.ts";
import { sockets } from "./table/sockets.ts";

showCells(sockets);
