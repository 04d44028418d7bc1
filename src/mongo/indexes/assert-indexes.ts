import { ApplicationError } from '../../errors.ts'
import type { Database } from '../connection/database.ts'
import type { CollectionPlan } from './collection-plan.ts'
import { compareAll } from './sync-indexes.ts'

/**
 * For commands that write content beside a server: indexes are built and dropped by a start alone.
 * @throws ApplicationError that names the collections whose indexes are not what is declared
 */
export async function assertIndexes(
  database: Database,
  collections: readonly CollectionPlan[],
): Promise<void> {
  const differing = (await compareAll(database, collections)).filter(
    ({ missing, outdated }) => missing.length + outdated.length > 0,
  )
  if (differing.length === 0) return
  const names = differing.map(({ collection }) => collection).join(', ')
  throw new ApplicationError(
    `The indexes of ${names} are not those that the content-types declare; start the server once with ` +
      'these content-types, which builds them',
  )
}
