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

// For the same reasons as in the record index.
const pragmas = `
  pragma journal_mode = wal;
  pragma synchronous = normal;
  pragma cache_size = -32768;
  pragma wal_autocheckpoint = 20000;`;

const personSchema = z.looseObject({ company: z.looseObject({ domain: z.string() }) });

/**
 * The searchable items: the ingested accounts and contacts and those that the sandbox starts with, in a SQLite file
 * that is brought up to date by each search; and the job postings of their domains, which are made on request.
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

  /** Opens or makes the file. */
  static async open(path: string): Promise<SearchIndex> {
    // SQLite would make the file readable to others; its companion files take their mode from it.
    await (await open(path, "a", 0o600)).close();
    return new SearchIndex(path);
  }

  /** Reads the uploads that are not in the index yet, in the given order. */
  async catchUp(applied: readonly Applied[], pathOf: (diskName: string) => string): Promise<void> {
    await this.#reader.catchUp(applied, pathOf);
  }

  /** Accounts, from this offset on. */
  accounts(query: Query, offset: number): Found {
    return this.#accounts.find(query, offset);
  }

  /**
   * Persons, from this offset on, each with the identifier of its company, or an empty one where the company is not
   * known.
   */
  persons(query: Query, offset: number): Found {
    const { items, total } = this.#persons.find(query, offset);
    return { items: items.map((item) => this.#withCompany(item)), total };
  }

  /** Job postings of a domain, from this offset on; none if no account has the domain. */
  jobPostings(domain: string, { query, offset }: { query: Query; offset: number }): Found {
    const known = domain.toLowerCase();
    if (this.#accountOf(known) === undefined) return { items: [], total: 0 };
    this.#postings.clear();
    for (const posting of jobPostingsOf(known)) this.#postings.put(posting);
    return this.#postings.find(query, offset);
  }

  /** Stops reading at the next piece, then closes the file. */
  async close(): Promise<void> {
    await this.#reader.close();
    this.#db.close();
    this.#postingsDb.close();
  }

  /** Adds the records that the sandbox starts with, once and in one transaction. */
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

  /** The account of a domain; the first by identifier if there are several. */
  #accountOf(domain: string): string | undefined {
    const found = this.#db
      .prepare("select id from accounts where domain = ? order by id limit 1")
      .get(folded(domain));
    return found === undefined ? undefined : String(found["id"]);
  }
}
