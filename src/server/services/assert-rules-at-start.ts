import { SchemaError } from '../../schema/schema-error.ts'
import { assertStoredRules, findRuledTypes } from '../../people/access/access.ts'
import { type Actions, compileActions } from '../../people/access/actions.ts'
import { assertStoredStaffRules } from '../../people/administrators/staff.ts'
import type { Database } from '../../mongo/connection/database.ts'
import type { NamedQueries } from '../../query/named/compile-queries.ts'
import { locateInQuery } from '../../schema/check/located-fault.ts'
import type { Base } from './open-base.ts'

/** Checks all stored rules at the start of a server, before it changes stored values. @throws SchemaError */
export async function assertRulesAtStart(
  {
    database,
    schema,
    extensions: { permissions },
  }: Pick<Base, 'database' | 'schema' | 'extensions'>,
  queries: NamedQueries,
): Promise<void> {
  const actions = compileActions(schema, permissions)
  await assertStoredRules(database, actions)
  await assertStoredStaffRules(database, actions)
  await assertQueryRules(database, actions, queries)
}

/** A query over a type with a rule must say whether rules hold for it. @throws SchemaError */
async function assertQueryRules(
  database: Database,
  actions: Actions,
  queries: NamedQueries,
): Promise<void> {
  const undecided = [...queries.values()].filter(({ definition }) => definition.rules === undefined)
  if (undecided.length === 0) return
  const ruled = await findRuledTypes(database, actions)
  const faults = undecided.flatMap(({ definition, types }) => {
    const type = [...types].find((uid) => ruled.has(uid))
    if (type === undefined) return []
    const problem = `a permission for ${type} has a rule: set rules to "caller" or "none"`
    return [locateInQuery(definition, { path: 'rules', problem })]
  })
  if (faults.length > 0) throw SchemaError.at(faults)
}
