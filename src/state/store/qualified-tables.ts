import {
  OperationNodeTransformer,
  TableNode,
  type KyselyPlugin,
  type PluginTransformQueryArgs,
  type PluginTransformResultArgs,
  type QueryId,
  type QueryResult,
  type RootOperationNode,
  type UnknownRow,
} from "kysely";

class Qualifier extends OperationNodeTransformer {
  readonly #schema: string;
  readonly #tables: ReadonlySet<string>;

  constructor(schema: string, tables: ReadonlySet<string>) {
    super();
    this.#schema = schema;
    this.#tables = tables;
  }

  protected override transformTable(node: TableNode, queryId?: QueryId): TableNode {
    const { identifier } = node.table;
    if (!this.#tables.has(identifier.name)) return super.transformTable(node, queryId);
    // Even if it has a schema: a query that is part of another is transformed twice, and the second time a plugin
    // before this one takes the schema for a name in camel case.
    return TableNode.createWithSchema(this.#schema, identifier.name);
  }
}

/**
 * Puts the name of the schema before each table of ours, in raw SQL, too, so that no session needs a `search_path`,
 * which a pooler in transaction mode would lose. No alias may have the name of a table.
 */
export class QualifiedTables implements KyselyPlugin {
  readonly #qualifier: Qualifier;

  constructor(schema: string, tables: ReadonlySet<string>) {
    this.#qualifier = new Qualifier(schema, tables);
  }

  transformQuery({ node, queryId }: PluginTransformQueryArgs): RootOperationNode {
    return this.#qualifier.transformNode(node, queryId);
  }

  async transformResult({ result }: PluginTransformResultArgs): Promise<QueryResult<UnknownRow>> {
    return result;
  }
}
