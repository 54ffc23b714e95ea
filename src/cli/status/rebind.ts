import type { Recognition } from "../../../connectors/contract/connector.ts";
import {
  findAccount,
  findSource,
  holderOf,
  assertNotAnew,
  keepIdentity,
  type Holder,
} from "../../../connectors/identities.ts";
import { sourcesOf } from "../../../connectors/registry.ts";
import { readRequestOf } from "../../../connectors/source.ts";
import { targetOf, type Config } from "../../config/config.ts";
import type { SourceConfig } from "../../config/schema/sources.ts";
import { SluiceError } from "../../errors.ts";
import type { IdentityPart } from "../../state/contract/keys/identities.ts";
import type { StateStore } from "../../state/state-store.ts";
import { plainJson, plainText } from "../../text/plain-text.ts";
import { sourceMsMax } from "../limits.ts";
import { syncNamed } from "../named.ts";
import { configOf, withState } from "../output/context.ts";
import type { Context, GlobalOptions } from "../output/context.ts";
import { exitCodeOfError } from "../output/exit-code.ts";

/** A sync or pull and the source whose identity is kept for it: what it reads, or what it writes back to. */
type Bound = {
  readonly kind: Holder["kind"];
  readonly name: string;
  readonly from: Pick<SourceConfig, "connector" | "connectorConfig">;
};

function boundOf(config: Config, wanted: string | undefined): readonly Bound[] {
  const syncs = [...config.syncs.values()];
  const pulls = [...config.pulls.values()];
  const all: readonly Bound[] = [
    ...syncs.map((sync) => ({ kind: "sync" as const, name: sync.name, from: sync })),
    ...pulls.map(({ name, writeBack }) => ({ kind: "pull" as const, name, from: writeBack })),
  ];
  if (wanted === undefined) return all;
  if (!config.pulls.has(wanted)) syncNamed(config, wanted);
  return all.filter(({ name }) => name === wanted);
}

type Binding = { readonly context: Context; readonly config: Config; readonly state: StateStore };

/** Takes an account or a source for the one that is known, and says whether it is another. */
async function bind(
  { context, state, json }: Pick<Binding, "context" | "state"> & { readonly json: boolean },
  at: { readonly holder: Holder; readonly part: IdentityPart; readonly found: Recognition },
): Promise<void> {
  const { holder, part, found } = at;
  const { kind, name, lock } = holder;
  assertNotAnew(holder, found);
  const was = (await state.identities({ holder: lock }))[part]?.shown;
  await keepIdentity(holder, part, found);
  const is = found.shown;
  if (json)
    context.print(
      plainJson({ [kind]: name, part, was, is, is_rebound: found.differs !== undefined }),
    );
  else if (found.differs === undefined) context.print(plainText(`${kind} ${name}: ${is}`));
  else context.print(plainText(`${kind} ${name}: ${is} counts as the same ${part} as ${was}`));
}

async function rebindOne(
  { context, config, state, json }: Binding & { readonly json: boolean },
  { kind, name, from }: Bound,
): Promise<void> {
  const target = targetOf(config.api);
  const holder = holderOf(
    { state, target },
    { kind, name, at: new Date(state.now()).toISOString() },
  );
  const to = { context, state, json };
  await bind(to, { holder, part: "account", found: await findAccount(holder, config.api) });
  const source = sourcesOf(config).get(from.connector);
  if (source === undefined) return;
  const request = readRequestOf(from, AbortSignal.timeout(sourceMsMax));
  const position =
    kind === "sync" ? (await state.checkpoint({ target, sync: name })).position : null;
  const found = await findSource(holder, { source, request, position });
  if (found !== undefined) await bind(to, { holder, part: "source", found });
}

/**
 * `sluice state rebind`: declares that account and source, as they are now, are those that were worked with before.
 * Nothing is sent again.
 */
export async function rebind(
  context: Context,
  name: string | undefined,
  options: GlobalOptions,
): Promise<void> {
  const config = await configOf(context, options);
  const json = options.json === true;
  await withState(config, async (state) => {
    for (const bound of boundOf(config, name)) {
      try {
        await rebindOne({ context, config, state, json }, bound);
      } catch (error) {
        // A source that cannot be reached does not keep other syncs from their new key.
        if (!(error instanceof SluiceError)) throw error;
        context.say(plainText(`${bound.kind} ${bound.name}: ${error.message}`));
        if (error.hint !== undefined) context.say(plainText(`→ ${error.hint}`));
        context.exit(exitCodeOfError(error));
      }
    }
  });
}
