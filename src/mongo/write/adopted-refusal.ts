import { MongoServerError } from 'mongodb'
import { type Fault, fault, validationError, ValidationError } from '../../base/errors.ts'
import type { Data } from '../../schema/definition.ts'
import type { AttributePlan } from '../../schema/plan.ts'
import type { Database } from '../connection/database.ts'
import { isDuplicateKey, refusingIndex } from '../connection/database-error.ts'
import type { AdoptedType } from '../versions/adopted-expression.ts'
import { takenFault } from './unique-values.ts'

const TOO_LARGE = 'the document of the other service would exceed 16 MB'
const UNFIT_FOR_INDEX = 'an index of the other service cannot hold these values'

/** https://www.mongodb.com/docs/manual/reference/error-codes/ */
const REFUSALS: ReadonlyMap<unknown, string> = new Map([
  [121, 'the validator of the other service refuses these values'],
  [10334, TOO_LARGE],
  [17419, TOO_LARGE],
  [17420, TOO_LARGE],
  [171, UNFIT_FOR_INDEX], // parallel arrays
  [16755, UNFIT_FOR_INDEX], // no GeoJSON
])

interface AdoptedWrite {
  readonly database: Database
  readonly plan: AdoptedType
  readonly values: Data
}

/**
 * Runs a command that writes attributes of a document of another service. @throws ValidationError if the validator or an
 * index of the collection refuses it; other errors unchanged
 */
export async function unlessRefused<T>(of: AdoptedWrite, write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    throw (await refusalOf(of, error)) ?? error
  }
}

/** Texts of the database have values of members that clients may not see. Null for other errors. */
async function refusalOf(of: AdoptedWrite, error: unknown): Promise<ValidationError | null> {
  if (isDuplicateKey(error)) return takenOf(of, error, await keyOf(of, error))
  const message = error instanceof MongoServerError ? REFUSALS.get(error.code) : undefined
  if (message === undefined) return null
  return new ValidationError(message, {}, { code: 'conflicting_state', cause: error })
}

/** The paths of the index that refused a write. mongos returns only the name of the index. */
async function keyOf({ database, plan }: AdoptedWrite, error: MongoServerError) {
  const { paths, name: refusing } = refusingIndex(error)
  if (paths.length > 0) return paths
  if (refusing === '_id_') return ['_id']
  const collection = database.collection(plan.collectionName)
  const indexes = await collection.indexes().catch(() => []) // the value is taken, whatever the index
  // Names of other services may have spaces. No value of a client precedes the name.
  const text = error.message.slice(error.message.indexOf('index: '))
  return Object.keys(indexes.find(({ name }) => text.startsWith(`index: ${name} dup`))?.key ?? {})
}

/** Names the written attributes of the index. Null for the index of the ids. */
function takenOf({ plan, values }: AdoptedWrite, cause: Error, paths: readonly string[]) {
  if (paths.join() === '_id') return null
  const { pathOf } = plan.adopted
  const [first, ...others] = [...plan.attributes.values()]
    .filter(({ name }) => Object.hasOwn(values, name))
    .filter(({ name }) => paths.some((path) => `${path}.`.startsWith(`${pathOf(name)}.`)))
    .map((attribute) => faultOf(attribute, values))
  if (first !== undefined) return validationError([first, ...others], 'value_not_unique')
  const message =
    'another document has these values, which an index of the other service keeps unique'
  return new ValidationError(message, {}, { code: 'value_not_unique', cause })
}

function faultOf(attribute: AttributePlan, values: Data): Fault {
  if (attribute.kind === 'scalar') return takenFault(attribute, values[attribute.name])
  const reason = { code: 'any.unique' } as const
  return fault([attribute.name], 'This attribute must be unique', undefined, reason)
}
