import type { Config } from '../../../config/config.ts'
import { compileQueries } from '../../../query/named/compile-queries.ts'
import { compileSchema } from '../../../schema/compile.ts'
import { type Declarations, openDeclarations } from '../../../schema/editing/open-declarations.ts'

/** The files of declarations; a change is checked as a start checks them. */
export function editedDeclarations({
  contentTypesDir,
  api,
}: Pick<Config, 'contentTypesDir' | 'api'>): Declarations {
  return openDeclarations(contentTypesDir, (definitions) => {
    compileQueries(compileSchema(definitions), api)
  })
}
