import { open } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";

import { z } from "zod";

import { AppliedReader } from "../applied-reader.ts";
import { sandboxRecordSchemas } from "../schemas.ts";
import type { Applied } from "../upload/upload-store.ts";
import { accountItem } from "./account-item.ts";
import { folded } from "./conditions.ts";
import { type Found, ItemsTable } from "./items-table.ts";
import { jobPostingsOf } from "./job-postings.ts";
import { personItem } from "./person-item.ts";
import type { Query } from "./query.ts";
import { startingAccounts, startingContacts } from "./starting-data.ts";

// The reasons are those of the record index.
const pragmas = `
  pragma journal_mode = wal;
  pragma synchronous = normal;
  pragma cache_size = -32768;
  pragma wal_autocheckpoint = 20000;`;

const personSchema = z.looseObject({ company: z.looseObject({ domain: z.string() }) });

/**
 * What can be searched: the ingested accounts and contacts with those that the sandbox starts with, in a
 * SQLite file that is brought up to date when somebody searches, and the job postings of their domains, which
 * are made when asked for.
 */
export class SearchIndex {
  readonly #db: DatabaseSync;
  readonly #reader: AppliedReader;
  readonly #accounts: ItemsTable;
  readonly #persons: ItemsTable;
  readonly #postingsDb = new DatabaseSync(":memory:");
  readonly #postings = new ItemsTable(this.#postingsDb, "job_postings");

  private constructor(path: string) {
    this.#db = new DatabaseSync(path);
    this.#db.exec(pragmas);
    this.#accounts = new ItemsTable(this.#db, "accounts");
    this.#persons = new ItemsTable(this.#db, "persons");
    this.#db.exec("create index if not exists accounts_by_domain on accounts (domain)");
    this.#reader = new AppliedReader({
      db: this.#db,
      streams: ["account", "contact"],
      take: ({ stream, text }) => this.#take(stream, text),
    });
    this.#start();
  }

  /** Opens the file, or makes it. */
  static async open(path: string): Promise<SearchIndex> {
    // SQLite would make it readable to others; its companions take their mode from it.
    await (await open(path, "a", 0o600)).close();
    return new SearchIndex(path);
  }

  /** Reads in the uploads that are not in yet, in the order given. */
  async catchUp(applied: readonly Applied[], pathOf: (diskName: string) => string): Promise<void> {
    await this.#reader.catchUp(applied, pathOf);
  }

  /** Accounts, from this one on. */
  accounts(query: Query, offset: number): Found {
    return this.#accounts.find(query, offset);
  }

  /**
   * Persons, from this one on, each with the identifier of its company, or an empty one where the company is
   * not known.
   */
  persons(query: Query, offset: number): Found {
    const { items, total } = this.#persons.find(query, offset);
    return { items: items.map((item) => this.#withCompany(item)), total };
  }

  /** Job postings of a domain, from this one on; none where no account has it. */
  jobPostings(domain: string, { query, offset }: { query: Query; offset: number }): Found {
    const known = domain.toLowerCase();
    if (this.#accountOf(known) === undefined) return { items: [], total: 0 };
    this.#postings.clear();
    for (const posting of jobPostingsOf(known)) this.#postings.put(posting);
    return this.#postings.find(query, offset);
  }

  /** Ends the reading at the next piece, then closes the file. */
  async close(): Promise<void> {
    await this.#reader.close();
    this.#db.close();
    this.#postingsDb.close();
  }

  /** Puts in what the sandbox starts with, in one transaction and once. */
  #start(): void {
    if (this.#db.prepare("select id from accounts limit 1").get() !== undefined) return;
    this.#db.exec("begin");
    for (const account of startingAccounts()) this.#accounts.put(accountItem(account, "sandbox"));
    for (const contact of startingContacts()) this.#persons.put(personItem(contact, "sandbox"));
    this.#db.exec("commit");
  }

  #take(stream: string, line: string): void {
    const record: unknown = JSON.parse(line);
    if (stream === "account") {
      this.#accounts.put(accountItem(sandboxRecordSchemas.account.parse(record), "api"));
    } else {
      this.#persons.put(personItem(sandboxRecordSchemas.contact.parse(record), "api"));
    }
  }

  #withCompany(item: string): string {
    const person = personSchema.parse(JSON.parse(item));
    const id = this.#accountOf(person.company.domain);
    return id === undefined
      ? item
      : JSON.stringify({ ...person, company: { ...person.company, mk_id: id } });
  }

  /** The account of a domain; of several, the first by its identifier. */
  #accountOf(domain: string): string | undefined {
    const found = this.#db
      .prepare("select id from accounts where domain = ? order by id limit 1")
      .get(folded(domain));
    return found === undefined ? undefined : String(found["id"]);
  }
}
