import { compileQueries } from '../../query/named/compile-queries.ts'
import { compileSchema } from '../../schema/compile.ts'
import type { Schema } from '../../schema/plan.ts'
import { readDefinitions } from '../../schema/read-definitions.ts'

/** @throws SchemaError, also for named queries */
export async function loadSchema(contentTypesDir: string): Promise<Schema> {
  const schema = compileSchema(await readDefinitions(contentTypesDir))
  compileQueries(schema)
  return schema
}
