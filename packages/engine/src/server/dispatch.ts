import { setTimeout as delay } from 'node:timers/promises'
import type { Long } from 'bson'
import { createDocument, RawDocument, toDocument } from '../bson/values.ts'
import type { Document, Value } from '../bson/values.ts'
import { COMMANDS } from '../commands/commands.ts'
import { badValue, CommandError } from '../errors.ts'
import { NO_DEADLINE, withDeadline } from '../deadline.ts'
import type { Deadline } from '../deadline.ts'
import { BlockedError } from '../storage/database.ts'
import { checkConcerns } from '../request/concerns.ts'
import { ClosedByFailPoint } from '../request/fail-points.ts'
import { stampSnapshot } from '../request/majority.ts'
import type { Engine } from '../request/engine.ts'
import type { Engines } from './keep-engine.ts'
import type { Message } from '../request/message.ts'
import { readTransactionNumber, readOptionalCount } from '../request/request.ts'
import type { Command, Request } from '../request/request.ts'
import { readSessionKey } from '../request/sessions.ts'
import { runOrMove } from './move-reads.ts'
import type { Reader } from './reader-process.ts'
import type { Connection, Transaction } from '../request/sessions.ts'

// A member that would change a reply is handled below or has no meaning for a single server.
const COMMON: ReadonlySet<string> = new Set([
  '$db', 'lsid', 'txnNumber', 'autocommit', 'startTransaction', '$clusterTime', '$readPreference', 'readConcern', 'writeConcern',
  'comment', 'maxTimeMS', 'maxTimeMSOpOnly', 'apiVersion', 'apiStrict', 'apiDeprecationErrors', 'stmtId', 'stmtIds', 'operationTime', 'help',
]) // prettier-ignore

export type ReportError = (what: string, error: unknown) => void

function findCommand(name: string): Command {
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined
  if (!command) throw new CommandError('CommandNotFound', `no such command: '${name}'`)
  return command
}

function checkOptions(name: string, command: Command, body: Document): void {
  if (command.options === 'any') return
  for (const option of Object.keys(body)) {
    if (option === name || COMMON.has(option) || command.options.includes(option)) continue
    throw new CommandError('Location40415', `BSON field '${name}.${option}' is an unknown field.`)
  }
}

const MAX_TIME_MS = 2147483647

function deadlineOf(name: string, body: Document): Deadline {
  const timeoutMs = name === 'getMore' ? null : readOptionalCount(body, 'maxTimeMS')
  if (timeoutMs !== null && timeoutMs > MAX_TIME_MS)
    throw badValue(`${timeoutMs} value for maxTimeMS is out of range`)
  return timeoutMs === null || timeoutMs === 0 ? NO_DEADLINE : { at: performance.now() + timeoutMs }
}

const TRANSACTION_ENDS: ReadonlySet<string> = new Set(['commitTransaction', 'abortTransaction'])

function transactionOf(
  engine: Engine,
  name: string,
  command: Command,
  body: Document,
): Transaction | null {
  if (body['autocommit'] !== false || TRANSACTION_ENDS.has(name)) return null
  const session = readSessionKey(body)
  if (session === null) throw new CommandError('InvalidOptions', 'Transactions need a session')
  const number = readTransactionNumber(body, 'txnNumber')
  if (!command.inTransaction) {
    if (body['startTransaction'] !== true) engine.sessions.get(session, number)
    throw new CommandError(
      'OperationNotSupportedInTransaction',
      `Cannot run '${name}' in a multi-document transaction.`,
    )
  }
  return body['startTransaction'] === true
    ? engine.sessions.begin(session, number)
    : engine.sessions.get(session, number)
}

/** The number of a write that the client retries if it receives no reply. */
function retryNumber(command: Command, { body, transaction, session }: Request): Long | null {
  if (
    command.access !== 'write' ||
    transaction ||
    session === null ||
    body['txnNumber'] === undefined
  )
    return null
  return readTransactionNumber(body, 'txnNumber')
}

function answeredBefore(request: Request, number: Long): Document | null {
  const last = request.engine.sessions.lastAnswer(request.session ?? '')
  if (!last || last.number.lessThan(number)) return null
  if (last.number.equals(number)) return last.reply
  throw new CommandError(
    'TransactionTooOld',
    `Retryable write with txnNumber ${number.toString()} is prohibited on session because a newer retryable write with txnNumber ${last.number.toString()} has already started on this session.`,
  )
}

function runNumbered(command: Command, request: Request): Document {
  const { sessions } = request.engine
  const number = retryNumber(command, request)
  const earlier = number && answeredBefore(request, number)
  if (earlier) return earlier
  const reply = command.run(request)
  if (number) sessions.keepAnswer(request.session ?? '', { number, reply })
  return reply
}

async function runWrite(command: Command, request: Request): Promise<Document> {
  const { engine, body, deadline } = request
  let reply: Document
  try {
    reply = await engine.writes.write(() =>
      withDeadline(deadline, () => runNumbered(command, request)),
    )
  } finally {
    command.settled?.(request)
  }
  const { lateRepliesMs = 0 } = engine.strictness
  if (lateRepliesMs > 0) await delay(lateRepliesMs)
  await engine.majority.acknowledge(body)
  return reply
}

function isWrite({ access }: Command, { transaction }: Request): boolean {
  return access === 'commit' || (access === 'write' && !transaction)
}

async function waitFor(holder: Promise<void>, { at }: Deadline): Promise<void> {
  if (at === Infinity) return holder
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<void>((_, reject) => {
    timer = setTimeout(
      () => reject(new CommandError('MaxTimeMSExpired', 'operation exceeded time limit')),
      Math.max(at - performance.now(), 0),
    )
  })
  try {
    await Promise.race([holder, timeout])
  } finally {
    clearTimeout(timer)
  }
}

/** Starts again whenever an open transaction holds a document or key that it wants to write. */
async function runCommand(command: Command, request: Request): Promise<Document> {
  for (;;) {
    try {
      request.engine.data.store.assertSound()
      if (isWrite(command, request)) return await runWrite(command, request)
      if (command.prepare) await command.prepare(request)
      if (command.access === 'admin') await request.engine.writes.released()
      return withDeadline(request.deadline, () => command.run(request))
    } catch (error) {
      if (!(error instanceof BlockedError)) throw error
      await waitFor(error.holder.ended, request.deadline)
    }
  }
}

// An error within a transaction aborts it, as in MongoDB.
async function runInTransaction(
  command: Command,
  request: Request,
  transaction: Transaction,
): Promise<Document> {
  try {
    const reply = await runCommand(command, request)
    const hasFailed = reply['writeErrors'] !== undefined || Number(reply['nErrors'] ?? 0) > 0
    if (hasFailed) request.engine.sessions.end(transaction.session)
    return reply
  } catch (error) {
    request.engine.sessions.end(transaction.session)
    throw error
  }
}

function databaseOf({ $db: database }: Document): string {
  if (typeof database === 'string' && /^[^/\\. "$*<>:|?\0]{1,63}$/.test(database)) return database
  throw new CommandError(
    'InvalidNamespace',
    `Invalid database name: '${typeof database === 'string' ? database : ''}'`,
  )
}

export interface DispatchOptions {
  readonly reader?: Reader | null
  readonly deadline?: Deadline
}

async function answer(
  engine: Engine,
  message: Message,
  connection: Connection,
  { reader = null, deadline: given }: DispatchOptions,
): Promise<Document | RawDocument> {
  const { body } = message
  const [name = ''] = Object.keys(body)
  const command = findCommand(name)
  checkOptions(name, command, body)
  checkConcerns(body, engine.clusterTime)
  const database = databaseOf(body)
  const transaction = transactionOf(engine, name, command, body)
  transaction?.connections.add(connection)
  const session = readSessionKey(body)
  const moment = engine.majority.momentFor(body)
  const requestBy = (deadline: Deadline): Request => ({
    engine,
    message,
    body,
    name,
    database,
    session,
    transaction,
    view: moment,
    deadline,
  })
  const deadline = given ?? deadlineOf(name, body)
  if (transaction) return runInTransaction(command, requestBy(deadline), transaction)
  if (moment) {
    const reply = await runCommand(command, requestBy(deadline)) // the reader only has the newest data
    stampSnapshot(body, moment, reply)
    return reply
  }
  if (!reader) return runCommand(command, requestBy(deadline))
  return runOrMove(reader, message, deadline, (until) => runCommand(command, requestBy(until)))
}

export function toReply(error: CommandError): Document {
  const reply = createDocument()
  reply['ok'] = 0
  reply['errmsg'] = error.message
  reply['code'] = error.code
  reply['codeName'] = error.codeName
  Object.assign(reply, error.details as Record<string, Value>)
  if (error.labels.length > 0) reply['errorLabels'] = [...error.labels]
  return reply
}

/** The single exit: every message gets a reply. @throws ClosedByFailPoint */
export async function dispatchMessage(
  engines: Engines,
  message: Message,
  connection: Connection,
  report: ReportError,
  options: DispatchOptions = {},
): Promise<Document | RawDocument> {
  try {
    const engine = engines.current()
    const { failPoints, clusterTime } = engine
    const run = async (): Promise<Document | RawDocument> => {
      const reply = await answer(engine, message, connection, options)
      if (!(reply instanceof RawDocument)) reply['operationTime'] = clusterTime.next()
      return reply
    }
    if (failPoints === null) return await run()
    failPoints.greet(message.body, connection)
    return await failPoints.around(message.body, connection, run)
  } catch (error) {
    if (error instanceof ClosedByFailPoint) throw error
    if (error instanceof CommandError) {
      engines.noteRefusal(error)
      return toReply(error)
    }
    report(Object.keys(message.body)[0] ?? '', error)
    return toDocument({
      ok: 0,
      errmsg: error instanceof Error ? error.message : String(error),
      code: 1,
      codeName: 'InternalError',
    })
  }
}
