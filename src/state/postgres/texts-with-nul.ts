import {
  type KyselyPlugin,
  OperationNodeTransformer,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  type PrimitiveValueListNode,
  type QueryResult,
  type RootOperationNode,
  type UnknownRow,
  type ValueNode,
} from "kysely";

import { withNul, withoutNul } from "../store/nul-texts.ts";

function asWritten(value: unknown): unknown {
  return typeof value === "string" ? withoutNul(value) : value;
}

class TextWriter extends OperationNodeTransformer {
  protected override transformValue(node: ValueNode): ValueNode {
    return typeof node.value === "string" ? { ...node, value: asWritten(node.value) } : node;
  }

  protected override transformPrimitiveValueList(
    node: PrimitiveValueListNode,
  ): PrimitiveValueListNode {
    return { ...node, values: node.values.map(asWritten) };
  }
}

/** Writes every text parameter as `withoutNul` does, and reads every text back. */
export class TextsWithNul implements KyselyPlugin {
  readonly #writer = new TextWriter();

  transformQuery({ node, queryId }: PluginTransformQueryArgs): RootOperationNode {
    return this.#writer.transformNode(node, queryId);
  }

  async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    for (const row of result.rows) {
      for (const [name, value] of Object.entries(row)) {
        if (typeof value === "string" && value.includes("\u0001")) row[name] = withNul(value);
      }
    }
    return result;
  }
}
