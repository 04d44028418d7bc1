import { writeRulesOf } from '../../content/rules/principal-rules.ts'
import { once } from 'node:events'
import { PassThrough } from 'node:stream'
import { contentAction } from '../../people/access/actions.ts'
import { assertMayUnderRule, mayUnderRule } from '../../people/access/ruled-reads.ts'
import { maySeePrivateFile } from '../../people/access/private-files.ts'
import { type BulkWriter, typesByName } from '../../content/bulk/bulk-line.ts'
import {
  type BulkRun,
  type LineAnswer,
  LineFault,
  runAtomically,
  runLines,
  type SentLine,
} from '../../content/bulk/run-lines.ts'
import type { DocumentContext } from '../../content/context.ts'
import { CmsError, ServiceUnavailableError, ValidationError } from '../../base/errors.ts'
import type { Locales } from '../../content/locales/locales.ts'
import type { Schema } from '../../schema/plan.ts'
import { createWorkQueue } from '../../base/work-queue.ts'
import { ERROR_CODE, errorEnvelope } from '../answer/envelope.ts'
import { type GuardedRouter, guardedRouter, writersOnly } from '../router/guarded-router.ts'
import { ahead, inGroups, type LineLimits, readLines } from '../body/read-lines.ts'
import { readQuery } from '../body/read-request.ts'
import { readOriginOf } from '../reads/query-rules.ts'
import type { Context, Middleware } from '../router/state.ts'
import { type BulkSlot, openBulkSlots } from './bulk-slots.ts'

export interface BulkRouteDependencies {
  readonly documents: DocumentContext
  readonly schema: Schema
  readonly locales: Locales
  readonly authenticate: Middleware
  readonly maxBodyBytes: number
  /** Receives internal errors. The client gets a line with status 500. */
  readonly onUnexpected: (error: unknown) => void
}

type AnsweredRun = BulkRun & { readonly signal: AbortSignal; readonly place: BulkSlot }

const MAX_LINES = 10_000
const MAX_BYTES = 64 * 1024 * 1024
const ATOMIC = { maxLines: 500, maxBytes: 16 * 1024 * 1024 } as const
const GROUP = { most: 2_000, mostBytes: 4 * 1024 * 1024, idleMs: 25 } as const
/** Concurrent bulk requests per process. Each one occupies a database connection. */
const MAX_RUNNING = 4
/** Buffer for unread response lines. Many clients send all lines before they read the response. */
const MAX_UNREAD_BYTES = 8 * 1024 * 1024
/** The connection is closed if the buffer stays full for this time. */
const UNREAD_MS = 30_000
const DEADLINE_MS = 600_000
const ATOMIC_DEADLINE_MS = 30_000
/** Error details repeat the input. Beyond this size they are omitted. */
const MAX_ERROR_BYTES = 4_096
const TYPES = ['application/x-ndjson', 'application/ndjson', 'application/jsonl']

export function bulkRoutes(dependencies: BulkRouteDependencies): GuardedRouter {
  const { schema, authenticate } = dependencies
  const router = guardedRouter('/api/_bulk')
  const types = typesByName(schema.contentTypes.values())
  const actions = [...new Set(types.values())].flatMap((plan) =>
    (['create', 'update', 'delete'] as const).map((verb) => contentAction(plan, verb)),
  )
  const hashing = createWorkQueue({
    concurrency: 1, // leaves capacity for sign-ins
    maxWaiting: MAX_RUNNING,
    maxWaitMs: Infinity,
    refusal: 'Too many passwords are waiting to be hashed',
  })
  const places = openBulkSlots(MAX_RUNNING)
  const handle = async (ctx: Context): Promise<void> => {
    const isAtomic = readAtomic(ctx)
    assertHasLines(ctx)
    const locales = await dependencies.locales.current()
    const place = places.take(ctx.req)
    const writer = writerOf(ctx)
    const signal = endOf(ctx, isAtomic ? ATOMIC_DEADLINE_MS : DEADLINE_MS)
    const { documents } = dependencies
    const hashPassword = (password: string): Promise<string> =>
      hashing.run(() => documents.hashPassword(password), { isUrgent: true, signal })
    const context = { ...documents, hashPassword }
    const run = { context, rules: { types, locales }, writer, signal, place }
    const working = isAtomic
      ? answerAtomically(ctx, run, dependencies)
      : answerAsRead(ctx, run, dependencies)
    const ended = working.finally(() => place.leave())
    if (isAtomic) await ended
  }
  router.post('/', authenticate, writersOnly(actions, handle))
  return router
}

/** Aborts when the client disconnects or the deadline passes. No further line is started then. */
function endOf({ res }: Context, deadlineMs: number): AbortSignal {
  const end = new AbortController()
  const abort = (): void => {
    end.abort(
      new ServiceUnavailableError('The request took too long: send the remaining lines again'),
    )
  }
  const timer = setTimeout(abort, deadlineMs)
  res.once('close', () => {
    clearTimeout(timer)
    abort()
  })
  return end.signal
}

/** Reads the principal on each check, because `authorizeAgain` replaces it while lines arrive. */
function writerOf(ctx: Context): BulkWriter {
  const { state } = ctx
  return {
    origin: readOriginOf(ctx),
    mayRead: (uid) => mayUnderRule(state.principal, contentAction({ uid }, 'find')),
    maySeePrivate: (file) => maySeePrivateFile(state.principal, file),
    may: (plan, verb) => mayUnderRule(state.principal, contentAction(plan, verb)),
    assertMay: (plan, verb) => assertMayUnderRule(state.principal, contentAction(plan, verb)),
    get rules() {
      return writeRulesOf(state.principal)
    },
  }
}

function readAtomic(ctx: Context): boolean {
  const { atomic = 'false', ...others } = readQuery(ctx.querystring)
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw queryFault(`${unknown}: no such parameter`)
  if (atomic !== 'true' && atomic !== 'false') throw queryFault('atomic: expected true or false')
  return atomic === 'true'
}

function queryFault(message: string): ValidationError {
  return new ValidationError(message, {}, { code: 'invalid_query' })
}

function assertHasLines(ctx: Context): void {
  const code = 'invalid_header'
  if (typeof ctx.is(...TYPES) !== 'string') {
    throw new ValidationError(`Content-Type: expected ${TYPES[0]}, and a body`, {}, { code })
  }
  if (!['', 'identity'].includes(ctx.get('Content-Encoding'))) {
    throw new ValidationError('Content-Encoding: lines are read as they are', {}, { code })
  }
}

async function answerAtomically(
  ctx: Context,
  run: AnsweredRun,
  { maxBodyBytes }: BulkRouteDependencies,
): Promise<void> {
  const lines: SentLine[] = []
  const limits = { ...ATOMIC, maxLineBytes: maxBodyBytes }
  for await (const line of run.place.watch(readLines(chunksOf(ctx), limits))) lines.push(line)
  await ctx.state.authorizeAgain?.()
  try {
    const answers = await run.place.run(() => runAtomically(run, lines))
    ctx.type = TYPES[0] ?? ''
    ctx.body = formatAnswers(answers)
  } catch (error) {
    if (!(error instanceof LineFault)) throw error
    const { cause, line } = error
    const envelope = errorEnvelope(cause)
    ctx.status = cause.status
    ctx.set(ERROR_CODE, cause.errorCode)
    ctx.body = { ...envelope, error: { ...envelope.error, details: { ...cause.details, line } } }
  }
}

/** Keeps the connection open if the iteration ends early, because the response must still be sent. */
function chunksOf({ req }: Context): AsyncIterable<Buffer> {
  return req.iterator({ destroyOnReturn: false })
}

/** Streams results while further lines arrive. Reading pauses until the current lines are processed. Never rejects. */
async function answerAsRead(
  ctx: Context,
  run: AnsweredRun,
  { maxBodyBytes, onUnexpected }: BulkRouteDependencies,
): Promise<void> {
  const answers = new PassThrough({ highWaterMark: MAX_UNREAD_BYTES })
  ctx.compress = false
  ctx.type = TYPES[0] ?? ''
  ctx.body = answers
  const limits = { maxLines: MAX_LINES, maxBytes: MAX_BYTES, maxLineBytes: maxBodyBytes }
  try {
    await pump(ctx, run, answers, limits)
  } catch (error) {
    const known = error instanceof CmsError ? error : null
    if (known === null && !ctx.req.destroyed) onUnexpected(error)
    if (!answers.destroyed) answers.write(lastLine(known))
  }
  answers.end()
}

async function pump(
  ctx: Context,
  run: AnsweredRun,
  answers: PassThrough,
  limits: LineLimits,
): Promise<void> {
  const lines = run.place.watch(readLines(chunksOf(ctx), limits))
  for await (const group of ahead(inGroups(lines, GROUP))) {
    if (!(await run.place.run(() => carryOut(ctx, run, group, answers)))) return
    run.signal.throwIfAborted()
  }
}

async function carryOut(
  ctx: Context,
  run: AnsweredRun,
  group: readonly SentLine[],
  answers: PassThrough,
): Promise<boolean> {
  await ctx.state.authorizeAgain?.()
  for await (const answered of runLines(run, group)) {
    if (answers.destroyed) return false
    const isRead = answers.write(formatAnswers(answered)) || (await drained(answers))
    const failed = answered.map(({ outcome }) => ('error' in outcome ? outcome.error : null))
    const lasting = failed.find((error) => error !== null && error.status >= 500)
    if (lasting !== undefined && lasting !== null) throw lasting
    if (!isRead) return false
    if (answered.length < group.length) await ctx.state.authorizeAgain?.() // a long group may outlast its credential
  }
  return true
}

async function drained(answers: PassThrough): Promise<boolean> {
  try {
    const signal = AbortSignal.any([AbortSignal.timeout(UNREAD_MS), closing(answers)])
    await once(answers, 'drain', { signal })
    return true
  } catch {
    answers.destroy()
    return false
  }
}

function closing(answers: PassThrough): AbortSignal {
  const gone = new AbortController()
  answers.once('close', () => gone.abort())
  return gone.signal
}

function formatAnswers(answers: readonly LineAnswer[]): string {
  return answers.map((answer) => `${JSON.stringify(toAnswerLine(answer))}\n`).join('')
}

function toAnswerLine({ line, outcome }: LineAnswer): object {
  if ('error' in outcome) return { line, ...errorOf(outcome.error) }
  const { result, documentId } = outcome
  return { line, status: result === 'created' ? 201 : 200, result, documentId }
}

function errorOf(thrown: CmsError): object {
  const { error } = errorEnvelope(thrown)
  const { status, errorCode: code } = thrown
  const isLong = JSON.stringify(error).length > MAX_ERROR_BYTES
  const { message } = error
  const short = { ...error, message: message.slice(0, MAX_ERROR_BYTES / 4), details: {} }
  return { status, code, error: isLong ? short : error }
}

/** The last line of an interrupted response. All lines without a result were not processed. */
function lastLine(error: CmsError | null): string {
  const shown =
    error === null
      ? {
          status: 500,
          code: 'internal_error',
          error: { status: 500, name: 'InternalServerError', message: 'Internal Server Error' },
        }
      : errorOf(error)
  return `${JSON.stringify({ line: null, ...shown })}\n`
}
