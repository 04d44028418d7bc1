import type { Access } from '../../people/access/access.ts'
import { assertMaySync, syncAction, syncerOf } from '../../people/access/sync-rights.ts'
import { ForbiddenError } from '../../base/errors.ts'
import type { Locales } from '../../content/locales/locales.ts'
import type { LiveStreams } from '../../changes/live/live-streams.ts'
import type { LiveClient } from '../../changes/live/live-stream.ts'
import { type HeldToken, readHeldToken } from '../../changes/sync/query/held-token.ts'
import { parseScope, syncedTypes } from '../../changes/sync/query/parse-scope.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan, Schema } from '../../schema/plan.ts'
import { type GuardedRouter, guardedRouter, syncersOnly } from '../router/guarded-router.ts'
import { networkOf } from '../router/network-of.ts'
import { readQuery } from '../body/read-request.ts'
import { hasLeft } from '../answer/hang-ups.ts'
import type { Context, Middleware } from '../router/state.ts'
import { beginEvents, prepareEvents, responseSink } from './response-sink.ts'
import { assertLocales, invalidToken } from './refuse.ts'

export interface LiveRouteDependencies {
  readonly schema: Schema
  readonly locales: Pick<Locales, 'current'>
  readonly access: Pick<Access, 'principalOf'>
  readonly streams: LiveStreams
  readonly authenticate: Middleware
}

type LiveRequest = Pick<LiveClient, 'scope' | 'token' | 'gone'>

export function liveRoutes(dependencies: LiveRouteDependencies): GuardedRouter {
  const types = syncedTypes(dependencies.schema.contentTypes.values())
  const actions = [...types.values()].map((plan) => syncAction({ plan }))
  const router = guardedRouter('/api/_live')
  const handle = async (ctx: Context): Promise<void> => {
    const asked = readLiveRequest(ctx, types)
    await assertPermitted(dependencies, asked, ctx)
    prepareEvents(ctx)
    if (ctx.method !== 'HEAD') await open(dependencies, asked, ctx)
  }
  router.get('/', dependencies.authenticate, syncersOnly(actions, handle))
  return router
}

const OWN: ReadonlySet<string> = new Set(['types', 'locale', 'status'])

function readLiveRequest(ctx: Context, types: ReadonlyMap<string, ContentTypePlan>): LiveRequest {
  const query = readQuery(ctx.querystring)
  const first = readFirst(query, types)
  const last = ctx.get('last-event-id')
  if (last === '') return first
  const held = readHeldToken(last, types)
  const isSame = JSON.stringify(held.scope.asked) === JSON.stringify(first.scope.asked)
  if (!isSame) throw invalidToken('Last-Event-ID: belongs to a stream with another scope')
  return held
}

function readFirst(
  query: Data,
  types: ReadonlyMap<string, ContentTypePlan>,
): HeldToken | LiveRequest {
  const { token, ...rest } = query
  const names = Object.keys(rest)
  if (token === undefined) {
    const stray = names.find((name) => !OWN.has(name))
    if (stray !== undefined) throw invalidToken(`${stray}: only a token may have it`)
    return { scope: parseScope(rest, types), token: null, gone: [] }
  }
  if (names[0] !== undefined) throw invalidToken(`${names[0]}: the token has all parameters`)
  if (typeof token !== 'string') throw invalidToken('token: expected one')
  return readHeldToken(token, types)
}

/** One permitted type of the token is enough. The stream then resets unreadable types. @throws ForbiddenError */
async function assertPermitted(
  { locales }: LiveRouteDependencies,
  { scope, token }: LiveRequest,
  { state: { principal } }: Context,
): Promise<void> {
  if (token === null) {
    assertMaySync(principal, scope)
    assertLocales(scope, await locales.current())
    return
  }
  const caller = syncerOf(principal, scope)
  if (!scope.types.some((type) => caller.maySync(type))) throw new ForbiddenError('Forbidden')
}

async function open(
  { access, streams }: LiveRouteDependencies,
  asked: LiveRequest,
  ctx: Context,
): Promise<void> {
  const { principal } = ctx.state
  const authorization = ctx.get('authorization')
  const { res } = ctx
  const stream = await streams.open(
    {
      ...asked,
      userId: principal.kind === 'user' ? principal.documentId : null,
      address: networkOf(ctx.ip),
      identify: async () => syncerOf(await access.principalOf(authorization), asked.scope),
      sink: responseSink(res),
    },
    () => beginEvents(ctx),
  )
  if (hasLeft(res)) stream.close()
  else res.once('close', () => stream.close())
}
