import type { MongoServerError } from 'mongodb'
import { type Fault, validationError } from '../../base/errors.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import {
  isDuplicateKey,
  isOutOfTime,
  refusingIndex,
  WaitedForValue,
} from '../connection/database-error.ts'
import type { Database } from '../connection/database.ts'
import { uniqueAttributeOf } from '../versions/index-names.ts'
import { findTaken, takenFault, uniqueAttributes } from './unique-values.ts'

export interface Written {
  readonly documentId: string
  readonly locale: string
  readonly values: Data
}

/**
 * Reports all taken values after an index has rejected a write. The database error names at most
 * one, and DocumentDB's error for `findAndModify` names none. The query runs outside of the
 * transaction, which is already aborted.
 * @throws ValidationError naming each attribute, WaitedForValue
 */
export async function unlessTaken<T>(
  database: Database,
  plan: ContentTypePlan,
  written: readonly Written[],
  write: () => Promise<T>,
): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (isOutOfTime(error) && uniqueAttributes(plan).length > 0) throw new WaitedForValue(error)
    if (!isDuplicateKey(error)) throw error
    const found = await Promise.all(
      written.map((each) => findTaken(database, plan, each, each.values)),
    )
    const [fault = faultOf(plan, error, written), ...others] = found.flat()
    throw fault === null ? error : validationError([fault, ...others], 'value_not_unique')
  }
}

/**
 * Derives the fault from the database error, for a value that is taken in another locale or was
 * freed in the meantime.
 */
function faultOf(
  plan: ContentTypePlan,
  error: MongoServerError,
  [first]: readonly Written[],
): Fault | null {
  const { paths, name } = refusingIndex(error)
  const unique = name === null ? null : uniqueAttributeOf(name)
  const attribute = uniqueAttributes(plan).find(
    (each) => paths.includes(each.name) || each.name === unique,
  )
  return attribute === undefined ? null : takenFault(attribute, first?.values[attribute.name])
}
