import { isNumber, toDouble } from '../bson/numbers.ts'
import { isDocument, typeOf } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { badValue, CommandError, failedToParse } from '../errors.ts'

/** What MongoDB allows for `w` at most. */
const MOST_NODES = 50

function checkW(w: Value): void {
  if (w === undefined || w === 'majority') return
  if (typeof w === 'string')
    throw new CommandError(
      'UnknownReplWriteConcern',
      `No write concern mode named '${w}' found in replica set configuration`,
    )
  const nodes = isNumber(w) ? toDouble(w) : NaN
  if (!Number.isInteger(nodes) || nodes < 0 || nodes > MOST_NODES)
    throw failedToParse(`w has to be a non-negative number and not greater than ${MOST_NODES}`)
  if (nodes > 1)
    throw new CommandError('UnsatisfiableWriteConcern', 'Not enough data-bearing nodes')
}

/** One server always reads its newest data, which a majority has; for snapshots see `Majority`. */
const LEVELS: ReadonlySet<Value> = new Set([
  undefined,
  'local',
  'available',
  'majority',
  'linearizable',
  'snapshot',
])

function checkReadConcern({ level }: Document): void {
  if (!LEVELS.has(level))
    throw badValue(
      `Enumeration value '${typeof level === 'string' ? level : typeOf(level)}' for field 'readConcern.level' is not a valid value.`,
    )
}

/**
 * What is asked of a replica set must be what one server can do.
 * @throws CommandError by the name that MongoDB gives it
 */
export function checkConcerns(body: Document): void {
  const { writeConcern, readConcern } = body
  if (isDocument(writeConcern)) checkW(writeConcern['w'])
  if (isDocument(readConcern)) checkReadConcern(readConcern)
}
