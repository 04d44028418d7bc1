import type { Config } from '../../../base/config/config.ts'
import { compileQueries } from '../../../query/named/compile-queries.ts'
import { compileSchema } from '../../../schema/compile.ts'
import {
  type AssessDefinitions,
  type Declarations,
  openDeclarations,
} from '../../../schema/editing/open-declarations.ts'

export function editedDeclarations(
  { contentTypesDir, api }: Pick<Config, 'contentTypesDir' | 'api'>,
  plan: AssessDefinitions,
): Declarations {
  return openDeclarations(contentTypesDir, (definitions) => {
    compileQueries(compileSchema(definitions), api)
    return plan(definitions)
  })
}
