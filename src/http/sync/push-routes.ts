import { Readable } from 'node:stream'
import {
  type CmsError,
  ForbiddenError,
  MalformedBodyError,
  ServiceUnavailableError,
  ValidationError,
} from '../../base/errors.ts'
import { parsePush } from '../../changes/push/push-request.ts'
import type { PushAnswer, PushParts } from '../../changes/push/push-parts.ts'
import { runPush } from '../../changes/push/run-push.ts'
import type { DocumentContext } from '../../content/context.ts'
import type { Locales } from '../../content/locales/locales.ts'
import { contentAction } from '../../people/access/actions.ts'
import type { SignedInUser } from '../../people/access/principal.ts'
import type { Schema } from '../../schema/plan.ts'
import { errorEnvelope } from '../answer/envelope.ts'
import { readLines } from '../body/read-lines.ts'
import { readClosedQuery } from '../body/read-request.ts'
import { readOriginOf, writerOf } from '../reads/query-rules.ts'
import { type GuardedRouter, guardedRouter, pushersOnly } from '../router/guarded-router.ts'
import type { Context, Middleware } from '../router/state.ts'

export interface PushRouteDependencies {
  readonly documents: DocumentContext
  readonly schema: Schema
  readonly locales: Pick<Locales, 'current'>
  readonly pushClients: PushParts['clients']
  readonly commitLog: { head(): { readonly log: string } }
  readonly authenticate: Middleware
  readonly readRaw: Middleware
  readonly onUnexpected: (error: unknown) => void
}

const TYPES = ['application/x-ndjson', 'application/ndjson', 'application/jsonl']
const MAX_MUTATIONS = 100
const MAX_BYTES = 1_048_576
/** Concurrent requests of a process. Each one occupies a database connection. */
const MAX_RUNNING = 16
const MAX_RUNNING_PER_USER = 2
/** The remaining mutations are sent again. */
const DEADLINE_MS = 20_000
/** Error details repeat the input. Beyond this size they are omitted. */
const MAX_ERROR_BYTES = 4_096

export function pushRoutes(dependencies: PushRouteDependencies): GuardedRouter {
  const { schema, authenticate, readRaw } = dependencies
  const pushed = [...schema.contentTypes.values()].filter(({ push }) => push === true)
  const types = new Map(pushed.map((plan) => [plan.singularName, plan]))
  const actions = pushed.map((plan) => contentAction(plan, 'push'))
  const running: string[] = []
  const router = guardedRouter('/api/_push')
  // The body arrives first, so that slow clients occupy no place.
  const limited = async (ctx: Context): Promise<void> => {
    const { principal } = ctx.state
    const user = principal.kind === 'user' ? principal.documentId : ''
    const own = running.filter((one) => one === user)
    if (running.length >= MAX_RUNNING || own.length >= MAX_RUNNING_PER_USER) {
      throw new ServiceUnavailableError('Too many pushes at the same time')
    }
    running.push(user)
    try {
      await answer(ctx, dependencies, types)
    } finally {
      running.splice(running.indexOf(user), 1)
    }
  }
  const handle = async (ctx: Context): Promise<void> => {
    const [unknown] = Object.keys(readClosedQuery(ctx.querystring))
    if (unknown !== undefined) {
      throw new ValidationError(`${unknown}: no such parameter`, {}, { code: 'invalid_query' })
    }
    assertLines(ctx)
    await readRaw(ctx, () => limited(ctx))
  }
  router.post('/', authenticate, pushersOnly(actions, handle))
  return router
}

function assertLines(ctx: Context): void {
  if (typeof ctx.is(...TYPES) === 'string') return
  const message = `Content-Type: expected ${TYPES[0]}, and a body`
  throw new ValidationError(message, {}, { code: 'invalid_header' })
}

async function answer(
  ctx: Context,
  dependencies: PushRouteDependencies,
  types: PushParts['types'],
): Promise<void> {
  const { documents, locales, pushClients, commitLog, onUnexpected } = dependencies
  if (!documents.database.hasTransactions) {
    throw new ServiceUnavailableError('Pushes need a database with transactions')
  }
  const lines = await linesOf(ctx)
  // It may have changed while the body arrived.
  const principal = signedInUser(ctx)
  const request = parsePush(lines, principal.documentId)
  const deadline = performance.now() + DEADLINE_MS
  const { log } = commitLog.head()
  const { last, answers } = await runPush(
    {
      documents,
      types,
      locales: await locales.current(),
      clients: pushClients,
      log,
      principal,
      origin: readOriginOf(ctx),
      writerOf: (locale) => writerOf(ctx, { locale }),
      authorizeAgain: async () => {
        await ctx.state.authorizeAgain?.()
        return signedInUser(ctx)
      },
      isOver: () => performance.now() > deadline || ctx.res.closed,
      onUnexpected,
    },
    request,
  )
  ctx.state.isReplayed = answers.some((one) => 'replayed' in one)
  ctx.type = TYPES[0] ?? ''
  ctx.set('Cache-Control', 'private, no-store')
  ctx.body = [{ log, last }, ...answers.map(toLine)]
    .map((one) => `${JSON.stringify(one)}\n`)
    .join('')
}

/** @throws ForbiddenError */
function signedInUser({ state: { principal } }: Context): SignedInUser {
  if (principal.kind !== 'user') throw new ForbiddenError('Forbidden')
  return principal
}

/** @throws PayloadTooLargeError, MalformedBodyError */
async function linesOf(ctx: Context): Promise<readonly { line: number; value: unknown }[]> {
  const { body } = ctx.request as { readonly body?: unknown }
  const chunks = Buffer.isBuffer(body) ? [body] : []
  const limits = { maxLines: MAX_MUTATIONS + 1, maxBytes: MAX_BYTES, maxLineBytes: MAX_BYTES }
  const lines: { line: number; value: unknown }[] = []
  for await (const { line, sent } of readLines(Readable.from(chunks), limits)) {
    if ('error' in sent) throw new MalformedBodyError(`${line}: ${sent.error.message}`, null)
    lines.push({ line, value: sent.value })
  }
  return lines
}

function toLine(answered: PushAnswer): object {
  switch (answered.outcome) {
    case 'retry':
      return answered
    case 'applied':
    case 'merged': {
      const { keys, ...others } = answered
      return keys === undefined ? others : { ...others, keys: keysByAttribute(keys) }
    }
    case 'conflict': {
      const { error, ...others } = answered
      return error === undefined ? others : { ...others, ...errorOf(error) }
    }
    case 'refused': {
      const { n, outcome } = answered
      if ('error' in answered) {
        const { error } = answered
        return { n, outcome, ...errorOf(error), code: error.errorCode }
      }
      const { status, code, replayed } = answered
      return { n, outcome, error: { status }, code, replayed }
    }
  }
}

type Keys = NonNullable<Extract<PushAnswer, { readonly outcome: 'applied' | 'merged' }>['keys']>

function keysByAttribute(keys: Keys): object {
  const attributes = [...new Set(keys.map(({ attribute }) => attribute))]
  return Object.fromEntries(
    attributes.map((name) => [
      name,
      Object.fromEntries(
        keys.filter(({ attribute }) => attribute === name).map(({ key, id }) => [key, id]),
      ),
    ]),
  )
}

function errorOf(thrown: CmsError): { readonly error: object } {
  const { error } = errorEnvelope(thrown)
  if (JSON.stringify(error).length <= MAX_ERROR_BYTES) return { error }
  return { error: { ...error, message: error.message.slice(0, MAX_ERROR_BYTES / 4), details: {} } }
}
