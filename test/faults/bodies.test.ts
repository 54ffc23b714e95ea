import { showCells } from "./show.ts";
import { bodies } from "./table/bodies.ts";

showCells(bodies);
