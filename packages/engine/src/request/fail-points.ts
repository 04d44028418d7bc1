import { setTimeout as delay } from 'node:timers/promises'
import { isDocument, toDocument } from '../bson/values.ts'
import type { Document, RawDocument, Value } from '../bson/values.ts'
import { CommandError, failedToParse, getErrorName } from '../errors.ts'
import { isNumber, toDouble } from '../bson/numbers.ts'
import type { Connection } from './sessions.ts'

/** The first command of a connection names the application, as drivers do. */
const GREETINGS: ReadonlySet<string> = new Set(['hello', 'isMaster', 'ismaster'])

/** Drivers retry a write after these: https://github.com/mongodb/specifications (retryable writes). */
const RETRYABLE: ReadonlySet<number> = new Set([
  6, 7, 89, 91, 189, 262, 9001, 10107, 11600, 11602, 13435, 13436,
])
/** Lock timeout, write conflict, snapshot unavailable, no such transaction, prepared transaction. */
const TRANSIENT: ReadonlySet<number> = new Set([24, 112, 246, 251, 267])

const MEMBERS: ReadonlySet<string> = new Set([
  'failCommands', 'appName', 'namespace', 'closeConnection', 'blockConnection', 'blockTimeMS', 'errorCode', 'errorLabels',
  'writeConcernError',
]) // prettier-ignore

interface FailPoint {
  readonly data: Document
  readonly commands: readonly Value[]
  /** Matching commands that still pass. */
  skip: number
  /** Matching commands that still fail. */
  times: number
}

type Reply = Document | RawDocument

/** The connection ends without a reply. */
export class ClosedByFailPoint extends Error {}

export interface FailPoints {
  /** Runs `configureFailPoint: 'failCommand'`. @throws CommandError */
  configure(body: Document): Document
  /** Remembers the name of the application. */
  greet(body: Document, connection: Connection): void
  /** Runs a command, or fails it as configured. @throws ClosedByFailPoint */
  around(body: Document, connection: Connection, run: () => Promise<Reply>): Promise<Reply>
}

export function openFailPoints(): FailPoints {
  const appNames = new WeakMap<Connection, Value>()
  let point: FailPoint | null = null
  let matched = 0

  const take = (body: Document, connection: Connection): Document | null => {
    if (point === null || !matches(point, body, appNames.get(connection))) return null
    if (point.skip > 0) {
      point.skip -= 1
      return null
    }
    const { data } = point
    point.times -= 1
    matched += 1
    if (point.times <= 0) point = null
    return data
  }
  return {
    configure: (body) => {
      point = readFailPoint(body)
      return toDocument({ count: matched, ok: 1 })
    },
    greet: (body, connection) => {
      const [name = ''] = Object.keys(body)
      const { client } = body
      if (!GREETINGS.has(name) || !isDocument(client)) return
      const { application } = client
      if (isDocument(application)) appNames.set(connection, application['name'])
    },
    around: async (body, connection, run) => {
      const data = take(body, connection)
      if (data === null) return run()
      if (data['blockConnection'] === true) await delay(Number(data['blockTimeMS']))
      if (data['closeConnection'] === true) throw new ClosedByFailPoint()
      if (data['errorCode'] !== undefined) return refusal(data, body)
      const reply = await run()
      const { writeConcernError } = data
      if (!isDocument(writeConcernError)) return reply
      const { errorLabels, ...error } = writeConcernError
      return toDocument({
        ...(reply as Document),
        writeConcernError: toDocument(error),
        ...(errorLabels !== undefined && { errorLabels }),
      })
    },
  }
}

function matches({ data, commands }: FailPoint, body: Document, appName: Value): boolean {
  const [name = ''] = Object.keys(body)
  if (!commands.includes(name)) return false
  const { namespace } = data
  if (namespace !== undefined && namespace !== namespaceOf(body, name)) return false
  return data['appName'] === undefined || data['appName'] === appName
}

function namespaceOf({ $db: database, ...body }: Document, name: string): string | null {
  const collection = body[name]
  const isNamed = typeof database === 'string' && typeof collection === 'string'
  return isNamed ? `${database}.${collection}` : null
}

function readFailPoint(body: Document): FailPoint | null {
  if (body['configureFailPoint'] !== 'failCommand') {
    throw new CommandError('FailPointSetFailed', 'only the fail point failCommand exists')
  }
  const { mode } = body
  if (mode === 'off') return null
  const data = body['data'] ?? toDocument({})
  if (!isDocument(data)) throw failedToParse('data of a fail point is a document')
  for (const name of Object.keys(data)) {
    if (!MEMBERS.has(name)) throw failedToParse(`data.${name} of a fail point is not supported`)
  }
  const { failCommands: commands } = data
  if (!Array.isArray(commands)) throw failedToParse('data.failCommands is a list of names')
  if (data['blockConnection'] === true && readOptionalCount(data, 'blockTimeMS') === null) {
    throw failedToParse('blockConnection needs blockTimeMS')
  }
  return { data, commands, ...countsOf(mode) }
}

function readOptionalCount(body: Document, name: string): number | null {
  const value = body[name]
  if (value === undefined) return null
  if (!isNumber(value) || toDouble(value) < 0) throw failedToParse(`${name} is a number`)
  return toDouble(value)
}

function countsOf(mode: Value): Pick<FailPoint, 'skip' | 'times'> {
  if (mode === 'alwaysOn') return { skip: 0, times: Infinity }
  if (!isDocument(mode)) throw failedToParse("mode is 'off', 'alwaysOn', { times } or { skip }")
  const [times, skip] = [readOptionalCount(mode, 'times'), readOptionalCount(mode, 'skip')]
  if (times !== null) return { skip: 0, times }
  if (skip !== null) return { skip, times: Infinity }
  throw failedToParse("mode is 'off', 'alwaysOn', { times } or { skip }")
}

function refusal(data: Document, body: Document): Document {
  const code = readOptionalCount(data, 'errorCode') ?? 0
  const errorLabels = data['errorLabels'] ?? labelsOf(code, body)
  return toDocument({
    ok: 0,
    errmsg: "Failing command via 'failCommand' failpoint",
    code,
    codeName: getErrorName(code),
    ...(Array.isArray(errorLabels) && errorLabels.length > 0 && { errorLabels }),
  })
}

/** The labels that MongoDB adds to this error. They apply if the fail point sets none. */
function labelsOf(code: number, body: Document): readonly string[] {
  const [name = ''] = Object.keys(body)
  const isEnd = name === 'commitTransaction' || name === 'abortTransaction'
  const isInTransaction = body['autocommit'] === false
  if (isInTransaction && !isEnd) {
    return RETRYABLE.has(code) || TRANSIENT.has(code) ? ['TransientTransactionError'] : []
  }
  const isRetryable = RETRYABLE.has(code) && body['txnNumber'] !== undefined
  return isRetryable ? ['RetryableWriteError'] : []
}
