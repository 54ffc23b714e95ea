import { type HostStore, beatRow } from "../../contract/runs/hosts.ts";
import { hostBeatMs, hostForgottenMs } from "../../limits.ts";
import type { Database } from "../database.ts";
import { all, count } from "../database.ts";

/** The hosts of a SQLite store. */
export function createHostStore(db: Database): HostStore {
  const put = db.prepare(
    `insert or replace into hosts (host_id, process, temporal_id, last_beat, version, name, command, configs)
     values ($hostId, $process, $temporalId, $lastBeat, $version, $name, $command, $configs)`,
  );
  const forget = db.prepare("delete from hosts where last_beat < $lastBeat - $forgottenMs");
  const remove = db.prepare("delete from hosts where host_id = $hostId and process = $process");
  const list = db.prepare(
    `select host_id as hostId, process, temporal_id as temporalId, last_beat as lastBeat, version, name, command,
      configs from hosts
     where last_beat >= $since order by host_id, process`,
  );
  const newest = db.prepare("select value from meta where name = 'last_beat'");
  const note = db.prepare(
    "insert or replace into meta (name, value) values ('last_beat', $lastBeat)",
  );
  const rest = db.prepare("update runs set idle_ms = idle_ms + $idleMs where ended_at is null");
  /**
   * What was done up to a beat's time after the last one is not idle: a worker that stopped then did not beat
   * again.
   */
  const countIdle = (lastBeat: number): void => {
    const before = count(newest);
    // Of a worker whose clock is behind, nothing is told.
    if (lastBeat <= before) return;
    const idleMs = Math.round(lastBeat - before - hostBeatMs);
    if (before > 0 && idleMs > hostBeatMs) rest.run({ idleMs });
    note.run({ lastBeat: String(lastBeat) });
  };
  return {
    beat: ({ name = "", command = "worker", configs = {}, ...input }) =>
      db.write(() => {
        forget.run({ lastBeat: input.lastBeat, forgottenMs: hostForgottenMs });
        countIdle(input.lastBeat);
        put.run({ ...input, name, command, configs: JSON.stringify(configs) });
      }),
    stopBeating: (input) => db.write(() => void remove.run(input)),
    beats: (input) => all(beatRow, list, input),
  };
}
