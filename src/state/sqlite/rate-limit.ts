import type { Moment } from "../../clock.ts";
import { jsonColumn } from "../contract/json-column.ts";
import { limitRow, type LimitRow, type RateLimitStore } from "../contract/rate-limit.ts";
import { afterEvent, onClockOf, rateLimitOf, written } from "../rules/breaker.ts";
import { decidePermit } from "../rules/next-permit.ts";
import { toJson } from "../store/json.ts";
import { all, first, type Database } from "./database.ts";

const { shape } = limitRow;
const storedRow = limitRow.extend({ reservations: jsonColumn.pipe(shape.reservations) });
const members = Object.keys(shape);

/** The column of a member: `nextPermit` is `next_permit`. */
function columnOf(member: string): string {
  return member.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** The rate limits of a SQLite store. */
export function createRateLimitStore(db: Database): RateLimitStore {
  const names = members.map((member) => `${columnOf(member)} as ${member}`).join(", ");
  const select = db.prepare(`select ${names} from rate_limits where name = $name`);
  const selectAll = db.prepare(`select ${names} from rate_limits order by name`);
  const replace = db.prepare(
    `insert or replace into rate_limits (${members.map(columnOf).join(", ")})
     values (${members.map((member) => `$${member}`).join(", ")})`,
  );
  const save = (row: LimitRow, now: Moment): LimitRow => {
    replace.run({ ...written(row, now), reservations: toJson(row.reservations) });
    return row;
  };
  const load = (name: string, now: Moment): LimitRow => {
    const found = first(storedRow, select, { name });
    const row = onClockOf(found ?? limitRow.parse({ name }), now);
    // Kept at once: a wait that starts again does so once.
    return found === undefined || row === found ? row : save(row, now);
  };
  return {
    acquirePermit: (request) =>
      db.write(() => {
        const [limit, ...others] = request.limits;
        const rows = [load(limit, request), ...others.map((name) => load(name, request))] as const;
        const { answer, row } = decidePermit(rows, request);
        if (row !== undefined) save(row, request);
        return answer;
      }),
    noteLimit: ({ limit, event, ...now }) =>
      db.write(() => save(afterEvent(load(limit, now), event, now), now)),
    rateLimits: (now) =>
      all(storedRow, selectAll).map((row) => rateLimitOf(onClockOf(row, now), now)),
  };
}
