export { sync } from "./sync.ts";
