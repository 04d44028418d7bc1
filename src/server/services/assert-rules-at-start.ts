import type { Logger } from 'pino'
import { assertStoredRules } from '../../people/access/access.ts'
import { compileActions } from '../../people/access/actions.ts'
import { findUndecidedQueries } from '../../people/access/undecided-queries.ts'
import { assertStoredStaffRules } from '../../people/administrators/staff.ts'
import type { NamedQueries } from '../../query/named/compile-queries.ts'
import type { Base } from './open-base.ts'

/**
 * Checks all stored rules at the start of a server, before it changes stored values, and logs the named queries that
 * they close. @throws SchemaError
 */
export async function assertRulesAtStart(
  {
    database,
    schema,
    extensions: { permissions },
  }: Pick<Base, 'database' | 'schema' | 'extensions'>,
  queries: NamedQueries,
  log: Pick<Logger, 'warn'>,
): Promise<void> {
  const actions = compileActions(schema, permissions)
  await assertStoredRules(database, actions)
  await assertStoredStaffRules(database, actions)
  for (const problem of await findUndecidedQueries(database, actions, queries)) log.warn(problem)
}
