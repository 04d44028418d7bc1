import { BUILT_IN_TYPES } from './built-in-types.ts'
import { checkDefinitions } from './check/check.ts'
import type { Definitions } from './definition.ts'
import { loadDefinitions } from './load.ts'

export async function readDefinitions(contentTypesDir: string): Promise<Definitions> {
  const files = await loadDefinitions(contentTypesDir)
  const definitions = checkDefinitions(files, BUILT_IN_TYPES)
  if (files.some(({ kind }) => kind === 'contentType')) return definitions
  const warning = `${contentTypesDir}: no content-type is declared here, so that only users and files are served; add an article.json`
  return { ...definitions, warnings: [...(definitions.warnings ?? []), warning] }
}
