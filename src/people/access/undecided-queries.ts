import type { Database } from '../../mongo/connection/database.ts'
import type { NamedQueries } from '../../query/named/compile-queries.ts'
import { sentenceAt } from '../../schema/check/located-fault.ts'
import { findRuledTypes } from './access.ts'
import type { Actions } from './actions.ts'

/**
 * Named queries over a type with a rule that do not say whether rules hold for them, one sentence each. Requests of
 * these queries are refused, but a rule that was stored through the API must not stop a start.
 */
export async function findUndecidedQueries(
  database: Database,
  actions: Actions,
  queries: NamedQueries,
): Promise<readonly string[]> {
  const undecided = [...queries.values()].filter(({ definition }) => definition.rules === undefined)
  if (undecided.length === 0) return []
  const ruled = await findRuledTypes(database, actions)
  return undecided.flatMap(({ definition: { file, name }, types }) => {
    const type = [...types].find((uid) => ruled.has(uid))
    if (type === undefined) return []
    const problem = `a permission for ${type} has a rule, so requests of the query ${name} are refused with 403: set rules to "caller" or "none"`
    return [sentenceAt(file, { path: 'rules', problem })]
  })
}
