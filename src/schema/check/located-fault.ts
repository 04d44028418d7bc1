import type { LocatedFault } from '../schema-error.ts'
import type { DeclarationFault, DeclarationProblem, QueryDefinition } from '../definition.ts'

export function sentenceAt(file: string, { path, problem }: DeclarationProblem): string {
  return path === '' ? `${file}: ${problem}` : `${file}: ${path}: ${problem}`
}

export function locate(file: string, fault: DeclarationFault): LocatedFault {
  const { path, reason } = fault
  return { file, path, sentence: sentenceAt(file, fault), reason }
}

/** One code for all faults of named queries, because the Studio cannot edit queries. */
export function locateInQuery(
  { file, name }: Pick<QueryDefinition, 'file' | 'name'>,
  fault: DeclarationProblem,
): LocatedFault {
  const { path } = fault
  const params = { name, ...(path !== '' && { place: path }) }
  return {
    file,
    path,
    sentence: sentenceAt(file, fault),
    reason: { code: 'declare.query', params },
  }
}
