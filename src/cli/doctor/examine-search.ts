import { examineSearchIndex, type SearchHealth } from '../../changes/search/search-health.ts'
import type { Database } from '../../mongo/connection/database.ts'
import type { Schema } from '../../schema/plan.ts'
import type { Finding } from './finding.ts'

/** More commits are unusual while a server runs. */
const MANY_COMMITS = 1_000

export async function examineSearch(
  database: Database,
  { contentTypes }: Pick<Schema, 'contentTypes'>,
): Promise<readonly Finding[]> {
  if ([...contentTypes.values()].every(({ search }) => search === null)) return []
  const health = await examineSearchIndex(database)
  return health === null ? [] : searchFindings(health)
}

export function searchFindings({ behind, building }: SearchHealth): readonly Finding[] {
  const check = 'search'
  const problems = [
    ...(behind > MANY_COMMITS
      ? [`the index is ${behind} commits behind: is a server running?`]
      : []),
    ...(building.length > 0
      ? [`the index of ${building.join(', ')} is being built: searches do not find all entries`]
      : []),
  ]
  if (problems.length > 0) return problems.map((what) => ({ check, level: 'warning', what }))
  const what = behind === 0 ? 'the index has all commits' : `${behind} commits are not indexed yet`
  return [{ check, level: 'ok', what }]
}
