import type { Config } from '../../../base/config/config.ts'
import { compileQueries } from '../../../query/named/compile-queries.ts'
import { compileSchema } from '../../../schema/compile.ts'
import type { Definitions } from '../../../schema/definition.ts'
import { type Declarations, openDeclarations } from '../../../schema/editing/open-declarations.ts'

export function editedDeclarations(
  { contentTypesDir, api }: Pick<Config, 'contentTypesDir' | 'api'>,
  assertKeepsValues: (definitions: Definitions) => Promise<void>,
): Declarations {
  return openDeclarations(contentTypesDir, async (definitions) => {
    compileQueries(compileSchema(definitions), api)
    await assertKeepsValues(definitions)
  })
}
