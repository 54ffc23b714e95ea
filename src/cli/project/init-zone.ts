import type { Discovery } from "../../../connectors/contract/connector.ts";
import { timeZoneFault } from "../../config/schema/time-zone.ts";
import { ConfigError } from "../../errors.ts";
import type { Answers, Question } from "./answers.ts";
import { changeColumnOf } from "./suggest-sync.ts";

/** The question for the zone of the change column, if it has none. */
export function zoneQuestions({
  from,
  columns,
}: Pick<Discovery, "columns" | "from">): readonly Pick<Question<unknown>, "flag" | "text">[] {
  const changed = columns.find(({ name }) => name === changeColumnOf(from));
  if (changed?.note?.includes("without time zone") !== true) return [];
  const text =
    `Which time zone the times in ${changed.name} are of, such as UTC, which most frameworks write, or ` +
    "Europe/Paris";
  return [{ flag: "column-zone", text }];
}

/** The members of `from` with the zone of the change column; if the column has none, only a person knows it. */
export async function withZone(
  answers: Answers,
  { from, columns }: Pick<Discovery, "columns" | "from">,
): Promise<Discovery["from"]> {
  const [question] = zoneQuestions({ from, columns });
  if (question === undefined) return from;
  const zone = await answers.ask({
    ...question,
    parse: (answer) => {
      const fault = timeZoneFault(answer);
      if (fault !== undefined) throw new ConfigError(fault);
      return answer;
    },
  });
  return { ...from, time_zone: zone };
}
