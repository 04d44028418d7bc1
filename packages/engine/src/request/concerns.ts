import { Timestamp } from 'bson'
import { isNumber, toDouble } from '../bson/numbers.ts'
import { isDocument, getType } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { badValue, CommandError, failedToParse, typeMismatch } from '../errors.ts'
import type { ClusterTime } from './cluster-time.ts'

/** MongoDB's maximum of `w`. */
const MAX_WRITE_CONCERN_NODES = 50

function checkW(w: Value): void {
  if (w === undefined || w === 'majority') return
  if (typeof w === 'string')
    throw new CommandError(
      'UnknownReplWriteConcern',
      `No write concern mode named '${w}' found in replica set configuration`,
    )
  const nodes = isNumber(w) ? toDouble(w) : NaN
  if (!Number.isInteger(nodes) || nodes < 0 || nodes > MAX_WRITE_CONCERN_NODES)
    throw failedToParse(
      `w has to be a non-negative number and not greater than ${MAX_WRITE_CONCERN_NODES}`,
    )
  if (nodes > 1)
    throw new CommandError('UnsatisfiableWriteConcern', 'Not enough data-bearing nodes')
}

/** A single server always reads its newest data. For snapshots see `Majority`. */
const LEVELS: ReadonlySet<Value> = new Set([
  undefined,
  'local',
  'available',
  'majority',
  'linearizable',
  'snapshot',
])

function checkReadConcern({ level, afterClusterTime }: Document, clusterTime: ClusterTime): void {
  if (!LEVELS.has(level))
    throw badValue(
      `Enumeration value '${typeof level === 'string' ? level : getType(level)}' for field 'readConcern.level' is not a valid value.`,
    )
  if (afterClusterTime !== undefined) checkAfter(afterClusterTime, clusterTime)
}

/** A single server has all writes of the past. */
function checkAfter(after: Value, clusterTime: ClusterTime): void {
  if (!(after instanceof Timestamp))
    throw typeMismatch(
      `BSON field 'readConcern.afterClusterTime' is the wrong type '${getType(after)}', expected type 'timestamp'`,
    )
  if (clusterTime.hasReached(after)) return
  throw new CommandError(
    'InvalidOptions',
    'readConcern afterClusterTime value must not be greater than the current clusterTime',
  )
}

/** @throws CommandError with MongoDB's name if a single server cannot satisfy the concern */
export function checkConcerns(body: Document, clusterTime: ClusterTime): void {
  const { writeConcern, readConcern } = body
  if (isDocument(writeConcern)) checkW(writeConcern['w'])
  if (isDocument(readConcern)) checkReadConcern(readConcern, clusterTime)
}
