import type { Extension } from '../../extensions/extension.ts'
import { type ExtensionRegistry, registerExtensions } from '../../extensions/extension-registry.ts'
import { compileQueries } from '../../query/named/compile-queries.ts'
import { compileSchema } from '../../schema/compile.ts'
import type { Definitions } from '../../schema/definition.ts'
import type { Schema } from '../../schema/plan.ts'
import { readDefinitions } from '../../schema/read-definitions.ts'

export interface LoadedProject {
  readonly definitions: Definitions
  readonly schema: Schema
  readonly extensions: ExtensionRegistry
}

/** @throws SchemaError for content-types; ExtensionError for extensions that do not fit them */
export async function loadProject(
  contentTypesDir: string,
  extensions: readonly Extension[] = [],
): Promise<LoadedProject> {
  const definitions = await readDefinitions(contentTypesDir)
  const registry = registerExtensions(extensions, definitions)
  return {
    definitions,
    schema: compileSchema(definitions, new Map(), registry.computed),
    extensions: registry,
  }
}

export async function loadSchema(contentTypesDir: string): Promise<Schema> {
  const { schema } = await loadProject(contentTypesDir)
  compileQueries(schema)
  return schema
}
