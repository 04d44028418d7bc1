import { ApplicationError } from '../../base/errors.ts'
import type { Database } from '../connection/database.ts'
import type { CollectionPlan } from './collection-plan.ts'
import { compareAll } from './sync-indexes.ts'

/** @throws ApplicationError listing the collections whose indexes differ from the declaration */
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
