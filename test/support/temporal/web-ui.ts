import { chromium, type Browser, type Locator, type Page, type Response } from "playwright-core";
import { z } from "zod";

import { chromiumProgram } from "../chromium.ts";
import { until } from "../process/process.ts";

/** What a link to the start form names. Without a workflow id the form is prefilled from the type's newest run. */
type StartForm = {
  readonly type: string;
  readonly taskQueue: string;
  readonly workflowId?: string;
};

/** An update in the menu of a run. */
type OfferedUpdate = { readonly name: string; readonly description: string };

/** The result of an update, as its dialog shows it: it closes, or it says why not. */
type SentUpdate = { readonly accepted: true } | { readonly refused: string };

const workflows = "/namespaces/default/workflows";
const listed = z.object({ executions: z.array(z.unknown()).default([]) });
const started = z.object({
  history: z.object({
    events: z.array(
      z.object({
        workflowExecutionStartedEventAttributes: z
          .object({
            input: z.object({ payloads: z.array(z.object({ data: z.string() })) }).nullish(),
          })
          .optional(),
      }),
    ),
  }),
});

/** Temporal's Web UI in a browser, used as a person uses it: by links, menus and typing. Written for UI 2.42. */
export class WebUi {
  readonly #browser: Browser;
  readonly #page: Page;

  private constructor(browser: Browser, page: Page) {
    this.#browser = browser;
    this.#page = page;
  }

  /** Opens a browser for the Web UI at this address, such as "http://127.0.0.1:8233"; the caller closes it. */
  static async open({ address }: { readonly address: string }): Promise<WebUi> {
    const browser = await chromium.launch({ executablePath: chromiumProgram() });
    const viewport = { width: 1400, height: 1100 };
    return new WebUi(browser, await browser.newPage({ baseURL: address, viewport }));
  }

  /**
   * Opens the form that starts a workflow, by a whole link or by its parts. Returns the prefilled input, "" if there is
   * none.
   */
  async startForm(form: string | StartForm): Promise<string> {
    const [answer] = await Promise.all([
      this.#page.waitForResponse(saysWhetherToPrefill),
      this.#page.goto(typeof form === "string" ? form : linkTo(form)),
    ]);
    const editor = this.#startEditor;
    await editor.waitFor();
    if (!(await hasInput(answer))) return "";
    return await until(async () => await textOf(editor));
  }

  /**
   * In the start form: starts the workflow, with the prefilled input or with another. @throws {Error} the server
   * refuses it
   */
  async start(workflowId: string, json?: string): Promise<void> {
    await this.#page.locator("#workflowId").fill(workflowId);
    if (json !== undefined) await this.#type(this.#startEditor, json);
    const [answer] = await Promise.all([
      this.#pushed(`${workflows}/${encodeURIComponent(workflowId)}`),
      this.#page.getByTestId("start-workflow-button").click(),
    ]);
    if (!answer.ok()) throw new Error(`${workflowId} does not start: ${await answer.text()}`);
    // Tries whether it could be clicked: an element still sliding into view could not.
    await this.#page.getByText("Workflow started successfully").last().click({ trial: true });
  }

  /** Opens a workflow's details and returns their text; a worker must run, because they are a query. */
  async details(workflowId: string): Promise<string> {
    await this.#open(workflowId);
    const [frame] = await Promise.all([
      // At first the frame is empty: the query is under way.
      this.#page.waitForEvent("framenavigated", (each) => {
        const { pathname, searchParams } = new URL(each.url());
        return pathname === "/render" && searchParams.get("content") !== "";
      }),
      this.#page.locator("a:visible", { hasText: "User Metadata" }).click(),
    ]);
    await frame.waitForLoadState();
    return await frame.locator("body").innerText();
  }

  /** Opens the history of a failed workflow at its last event, and returns the failure's message. */
  async failure(workflowId: string): Promise<string> {
    await this.#open(workflowId);
    const row = this.#page
      .getByTestId("event-summary-row")
      .filter({ hasText: "Workflow Execution Failed" });
    // The row truncates a long message: a user expands it, and finds the whole message in front of the stack trace.
    await row.click();
    const stack = this.#page.getByText("Call Stack", { exact: true }).last();
    await stack.scrollIntoViewIfNeeded();
    const message = row.locator('p:text-is("Failure Message") + div');
    return ((await message.textContent()) ?? "").trim();
  }

  /** The updates that a running workflow's menu offers. */
  async updatesOffered(workflowId: string): Promise<OfferedUpdate[]> {
    const options = (await this.#updateDialog(workflowId)).locator("[role=option]");
    // This option is always there, whatever the workflow offers.
    await options.filter({ hasText: /^\s*Custom\s*$/ }).waitFor();
    const offered: OfferedUpdate[] = [];
    for (const option of await options.all()) {
      const name = (await option.locator(".menu-item-wrapper").innerText()).trim();
      const [description = ""] = await option.locator(".menu-item-description").allInnerTexts();
      if (name !== "Custom") offered.push({ name, description: description.trim() });
    }
    return offered;
  }

  /** Sends an update to a running workflow, by its menu. A refusal stays on the screen. */
  async sendUpdate(workflowId: string, name: string, json?: string): Promise<SentUpdate> {
    const dialog = await this.#updateDialog(workflowId);
    const called = this.#page.getByText(name, { exact: true });
    await dialog.locator("[role=option]").filter({ has: called }).click();
    if (json !== undefined) await this.#type(dialog.locator(".cm-content"), json);
    await Promise.all([
      this.#pushed(`${workflows}/${encodeURIComponent(workflowId)}/update/${name}`),
      dialog.getByTestId("confirm-modal-button").click(),
    ]);
    const refusal = dialog.locator("div[role=alert] p").first();
    return await until<SentUpdate>(async () => {
      if ((await dialog.count()) === 0) return { accepted: true };
      return (await refusal.count()) > 0 && { refused: await refusal.innerText() };
    });
  }

  /** Asks a running workflow to cancel, by its button. */
  async cancel(workflowId: string): Promise<void> {
    await this.#open(workflowId);
    await this.#page.locator("button:visible", { hasText: "Request Cancellation" }).click();
    await this.#confirm("cancel", `${workflowPath(workflowId)}/cancel`);
  }

  /** Terminates a running workflow, by its menu. */
  async terminate(workflowId: string): Promise<void> {
    await this.#open(workflowId);
    await this.#choose("Terminate");
    await this.#confirm("terminate", `${workflowPath(workflowId)}/terminate`);
  }

  /** Resets a workflow to the first or the last event that its dialog offers. Returns the events offered. */
  async reset(workflowId: string, to: "first" | "last"): Promise<string[]> {
    await this.#open(workflowId);
    await this.#choose("Reset");
    const dialog = this.#dialog("reset");
    await dialog.getByTestId("workflow-reset-event-id-select-button").click();
    const options = dialog.locator("[role=option]");
    await options.first().waitFor();
    const offered = await options.allInnerTexts();
    await (to === "first" ? options.first() : options.last()).click();
    await this.#confirm("reset", `${workflowPath(workflowId)}/reset`);
    return offered.map((text) => text.trim());
  }

  /** Sends a signal to a running workflow, by its menu. */
  async sendSignal(workflowId: string, name: string, json: string): Promise<void> {
    await this.#open(workflowId);
    await this.#choose("Send a Signal");
    const dialog = this.#dialog("signal");
    await dialog.getByTestId("signal-name").fill(name);
    await this.#type(dialog.locator(".cm-content"), json);
    await this.#confirm("signal", `${workflowPath(workflowId)}/signal/${name}`);
  }

  /** Opens the start form filled in like a workflow, by its menu. Returns the prefilled input. */
  async startLike(workflowId: string): Promise<string> {
    await this.#open(workflowId);
    await Promise.all([
      this.#page.waitForURL(/\/start-workflow\?/),
      this.#choose("Start Workflow Like This One"),
    ]);
    const editor = this.#startEditor;
    return await until(async () => {
      const text = await textOf(editor);
      return text !== "" && text;
    });
  }

  /** Takes a screenshot, as PNG. */
  async screenshot(file: string): Promise<void> {
    await this.#page.screenshot({ path: file, animations: "disabled" });
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }

  /** The form has two more editors: summary and details. */
  get #startEditor(): Locator {
    return this.#page.locator(".cm-content").first();
  }

  async #open(workflowId: string): Promise<void> {
    await this.#page.goto(`${workflows}/${encodeURIComponent(workflowId)}`);
  }

  /** Opens the dialog that sends an update, with its list of updates. */
  async #updateDialog(workflowId: string): Promise<Locator> {
    await Promise.all([
      // Its response holds the updates' names.
      this.#page.waitForResponse(/\/query\/__temporal_workflow_metadata/),
      this.#open(workflowId),
    ]);
    await this.#choose("Send an Update");
    const dialog = this.#dialog("update");
    await dialog.getByTestId("update-select-button").click();
    return dialog;
  }

  /** Chooses from the menu of the workflow that is open. */
  async #choose(item: string): Promise<void> {
    // The page has its buttons once for each width, and hidden dialogs.
    await this.#page.locator("button:visible", { hasText: "More Actions" }).click();
    await this.#page.locator("[role=menuitem]:visible", { hasText: item }).click();
  }

  #dialog(of: string): Locator {
    return this.#page.locator(`dialog#${of}-confirmation-modal[open]`);
  }

  /** Confirms an open dialog, which posts to this path. @throws {Error} the server refuses it */
  async #confirm(of: string, path: string): Promise<void> {
    const [answer] = await Promise.all([
      this.#pushed(path),
      this.#dialog(of).getByTestId("confirm-modal-button").click(),
    ]);
    if (!answer.ok()) throw new Error(`${of} is refused: ${await answer.text()}`);
  }

  /** Replaces what is in an editor. */
  async #type(editor: Locator, json: string): Promise<void> {
    await editor.click();
    // Otherwise the text is inserted into the existing one.
    await this.#page.keyboard.press("ControlOrMeta+A");
    await this.#page.keyboard.insertText(json);
    await editor.blur();
    // Left alone, the editor reformats the JSON, which moves the button that is clicked next.
    const laidOut = laidOutJson(json);
    if (laidOut !== undefined) await until(async () => (await textOf(editor)) === laidOut);
  }

  /** The server's response to what the page posts to this path. */
  async #pushed(path: string): Promise<Response> {
    return await this.#page.waitForResponse(
      (each) =>
        each.request().method() === "POST" && new URL(each.url()).pathname === `/api/v1${path}`,
    );
  }
}

function workflowPath(workflowId: string): string {
  return `${workflows}/${encodeURIComponent(workflowId)}`;
}

function linkTo({ type, taskQueue, workflowId }: StartForm): string {
  const named = {
    workflowType: type,
    taskQueue,
    ...(workflowId === undefined ? {} : { workflowId }),
  };
  return `${workflows}/start-workflow?${new URLSearchParams(named).toString()}`;
}

/**
 * The last response that the start form waits for: that there is no run to take the input from, or that run's first
 * event.
 */
async function saysWhetherToPrefill(answer: Response): Promise<boolean> {
  const { pathname } = new URL(answer.url());
  if (pathname !== `/api/v1${workflows}`) return pathname.endsWith("/history");
  return listed.parse(await answer.json()).executions.length === 0;
}

/** Whether that response holds an input. */
async function hasInput(answer: Response): Promise<boolean> {
  const read = started.safeParse(await answer.json());
  const [first] = read.data?.history.events ?? [];
  return (first?.workflowExecutionStartedEventAttributes?.input?.payloads.length ?? 0) > 0;
}

async function textOf(editor: Locator): Promise<string> {
  return (await editor.innerText()).trim();
}

function laidOutJson(json: string): string | undefined {
  try {
    return JSON.stringify(JSON.parse(json), undefined, 2);
  } catch {
    return undefined;
  }
}
