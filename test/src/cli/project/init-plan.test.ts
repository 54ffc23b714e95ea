import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { planProject, type InitPlan } from "../../../../src/cli/project/init-plan.ts";
import { postgres } from "../../../support/postgres/postgres.ts";
import { temporaryFolder } from "../../../support/process/temporary-folder.ts";
import { person, type Person } from "../../init/person.ts";

/** Plans a project with a person who answers these questions in turn. */
async function planWith(
  { answers, type }: Person,
  typed: readonly (readonly [question: string, answer: string])[],
): Promise<InitPlan> {
  const folder = await temporaryFolder();
  await writeFile(join(folder, "a.csv"), "key,mail,employees\n1,ann@acme.example,11-50\n");
  const variables = new Map<string, string>();
  const planned = planProject(answers, { folder, variables, signal: answers.ended });
  for (const [question, answer] of typed) await type(question, answer);
  return await planned;
}

describe("planProject", () => {
  it("asks a person for whatever it cannot know", async () => {
    const plan = await planWith(person(), [
      ["Where the rows are", "csv"],
      ["Path of the file", "b.csv"],
      ["Path of the file", "a.csv"],
      ["What a row is [account]", "contact"],
      ["Which column is the contact_id", "id"],
      ["Which column is the contact_id", "key"],
      ["Which column is the e-mail address", "mail"],
      ["When it runs by itself", "2 o'clock"],
      ["When it runs by itself", "02:30"],
      ["In which time zone", "Europe/Paris"],
    ]);
    expect(plan).toMatchObject({
      reads: { path: "a.csv" },
      schedule: { at: "02:30", time_zone: "Europe/Paris" },
      readsAll: true,
      syncName: "a",
      // A value that is not a count stays as it is, and the plan does not mark answers as guesses.
      sync: `a:
  from: files
  stream: contact
  record:
    contact_id: key
    email: { column: mail, as: email }
    contact_properties:
      employees: employees
`,
    });
    expect(plan.comments.slice(1)).toEqual([
      "- every other column is sent in contact_properties: remove what the service need not know",
    ]);
  });

  it("asks for a URL that no variable holds, until it leads to a database", async () => {
    const { url, query } = await postgres();
    await query(`
      create table orders (company int, number int, domain text, primary key (company, number));
      create table other (id int)`);
    const someone = person();
    const plan = await planWith(someone, [
      ["Where the rows are", "postgres"],
      ["Name of the variable", "https://example.com"],
      ["Name of the variable", "CRM_DATABASE_URL"],
      ["CRM_DATABASE_URL is not set", "postgres://canary:@127.0.0.1:1/x"],
      ["CRM_DATABASE_URL is not set", url],
      ["Which table", "order"],
      ["Which table", "orders"],
      ["What a row is [account]", ""],
      ["Which column is the account_id [company,number]", ""],
      ["Which column is the domain or website [domain]", ""],
      ["When it runs by itself", ""],
    ]);
    expect(plan.typedUrl?.reveal()).toBe(url);
    expect(plan.reads).toEqual({ variable: "CRM_DATABASE_URL" });
    expect(plan.schedule).toBeUndefined();
    expect(plan.sync).toContain('account_id: { template: "{company}-{number}" }');
    expect(JSON.stringify(plan)).not.toContain(url);
    expect(someone.shown()).not.toContain("postgres://");
    expect(someone.shown()).toContain('(did you mean "orders"?) → there are: ');
  });
});
