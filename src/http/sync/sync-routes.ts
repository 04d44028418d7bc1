import { createHash } from 'node:crypto'
import type { Access } from '../../people/access/access.ts'
import { assertMaySync, syncAction, syncerOf } from '../../people/access/sync-rights.ts'
import type { Principal } from '../../people/access/principal.ts'
import type { DocumentContext } from '../../content/context.ts'
import {
  advanced,
  beginSync,
  isUpToDate,
  readSyncPage,
  type SyncPage,
} from '../../changes/sync/read-page.ts'
import type { SyncSources } from '../../changes/sync/read-changes.ts'
import { OlderReleaseError, type SyncedRelease } from '../../changes/sync/query/synced-release.ts'
import { resetItem } from '../../changes/sync/sync-items.ts'
import {
  type PushedChanges,
  pushClientOf,
  pushedIn,
  readPushedChanges,
} from '../../changes/push/pushed-changes.ts'
import { openAddressShares } from '../../changes/live/address-shares.ts'
import type { Locales } from '../../content/locales/locales.ts'
import { readHeldToken } from '../../changes/sync/query/held-token.ts'
import { parseScope, syncedTypes, type SyncScope } from '../../changes/sync/query/parse-scope.ts'
import { type SyncToken, writeToken } from '../../changes/sync/query/sync-token.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan, Schema } from '../../schema/plan.ts'
import type { Shutdown } from '../router/shutdown.ts'
import { isKnown } from '../answer/entity-tag.ts'
import { type GuardedRouter, guardedRouter, syncersOnly } from '../router/guarded-router.ts'
import type { LimitInFlight } from '../middleware/limit-in-flight.ts'
import { openSharedPages, type SharedPages } from '../reads/shared-pages.ts'
import { networkOf } from '../router/network-of.ts'
import { readClosedQuery } from '../body/read-request.ts'
import type { Context, Middleware } from '../router/state.ts'
import { assertLocales, invalidToken } from './refuse.ts'
import { type FollowedLog, type Seen, untilChanged } from './until-changed.ts'

interface OwnRelease extends Pick<SyncedRelease, 'at'> {
  /** Names the running processes of other releases. */
  readonly findOthers: () => Promise<readonly string[]>
}

interface KnownLog extends FollowedLog {
  readAtHead<T>(
    wanted: {
      readonly isRecent?: boolean
      readonly reached?: Pick<SyncToken, 'log' | 'seq'> | null
    },
    work: (at: Pick<SyncSources, 'head' | 'moment'>) => Promise<T>,
  ): Promise<T>
}

export interface SyncRouteDependencies {
  readonly documents: DocumentContext
  readonly schema: Schema
  readonly locales: Pick<Locales, 'current'>
  readonly access: Pick<Access, 'principalOf'>
  readonly pushClients: Parameters<typeof readPushedChanges>[0]
  readonly commitLog: KnownLog
  readonly authenticate: Middleware
  readonly withoutSlot: LimitInFlight['withoutSlot']
  readonly shutdown: Shutdown
  readonly release: OwnRelease
  /** Limit per network address, so that one client cannot use all slots. */
  readonly maxWaitingPerAddress: number
}

const MAX_WAIT_S = 25
const MAX_WAITING_REQUESTS = 2_000
const NDJSON = 'application/x-ndjson'
/** For anonymous responses: a page with a successor stays valid, but the last page soon changes. */
const PAGE_SECONDS = 300
const TIP_SECONDS = 1

type PushingClient = NonNullable<ReturnType<typeof pushClientOf>>

interface SyncRequest {
  readonly scope: SyncScope
  readonly token: SyncToken | null
  readonly gone: readonly string[]
  readonly waitMs: number
  /** Null if the request names none. */
  readonly client: PushingClient | null
}

type ReadPage = SyncPage & Pick<Answered, 'pushed'>

interface Answered extends SyncPage, Seen {
  readonly client: PushingClient | null
  readonly pushed: PushedChanges | null
}

export function syncRoutes(dependencies: SyncRouteDependencies): GuardedRouter {
  const types = syncedTypes(dependencies.schema.contentTypes.values())
  const actions = [...types.values()].map((plan) => syncAction({ plan }))
  const router = guardedRouter('/api/_sync')
  const pages = openSharedPages(MAX_WAITING_REQUESTS)
  let waiting = 0
  const held = openAddressShares()
  const mayWait = (address: string): boolean =>
    waiting < MAX_WAITING_REQUESTS &&
    held.of(address) < dependencies.maxWaitingPerAddress &&
    !dependencies.shutdown.hasBegun()
  const handle = async (ctx: Context): Promise<void> => {
    const client = pushClientOf(ctx.get('quire-client'), ctx.state.principal)
    const query = readClosedQuery(ctx.querystring)
    const read = await inRelease(dependencies, (release) => readSyncRequest(query, types, release))
    const asked = { ...read, client }
    const deadline = performance.now() + asked.waitMs
    const address = networkOf(ctx.ip)
    let page = await answer(dependencies, asked, ctx.state.principal)
    while (isQuiet(page) && performance.now() < deadline && mayWait(address)) {
      waiting += 1
      const release = held.add(address)
      const before = page
      const woken = await dependencies
        .withoutSlot(ctx.req, async () => {
          const from = performance.now()
          const goesOn = await untilChanged(dependencies, before, deadline, ctx)
          ctx.state.waitedMs = (ctx.state.waitedMs ?? 0) + performance.now() - from
          return goesOn ? answerWoken(dependencies, pages, before, ctx) : null
        })
        .finally(() => {
          waiting -= 1
          release()
        })
      if (woken === null) break
      page = woken
    }
    send(ctx, page)
  }
  router.get('/', dependencies.authenticate, syncersOnly(actions, handle))
  return router
}

function isQuiet({ items, more }: SyncPage): boolean {
  return items.length === 0 && !more
}

function readSyncRequest(
  query: Data,
  types: ReadonlyMap<string, ContentTypePlan>,
  release: SyncedRelease,
): Omit<SyncRequest, 'client'> {
  const { token: text, wait, ...rest } = query
  if (text === undefined) {
    if (wait !== undefined) throw invalidToken('wait: only with a token')
    return { scope: parseScope(rest, types), token: null, gone: [], waitMs: 0 }
  }
  const [stray] = Object.keys(rest)
  if (stray !== undefined) throw invalidToken(`${stray}: the token has all parameters but wait`)
  if (typeof text !== 'string') throw invalidToken('token: expected one')
  return { ...readHeldToken(text, types, release), waitMs: 1_000 * readWait(wait) }
}

function readWait(wait: unknown): number {
  if (wait === undefined) return 0
  if (typeof wait === 'string' && /^\d{1,2}$/.test(wait) && Number(wait) <= MAX_WAIT_S) {
    return Number(wait)
  }
  throw invalidToken(`wait: expected seconds, at most ${MAX_WAIT_S}`)
}

async function answer(
  dependencies: SyncRouteDependencies,
  asked: SyncRequest,
  principal: Principal,
): Promise<Answered> {
  const rightsSeq = dependencies.commitLog.head().seq
  const known = await inRelease(dependencies, (release) =>
    answerKnown(dependencies, asked, principal, release),
  )
  const page = { ...known, rightsSeq }
  const gone = asked.gone.map((name) => resetItem({ name }, { reason: 'schema' }))
  return gone.length === 0 ? page : { ...page, items: [...gone, ...page.items] }
}

/** Refuses rows of a newer release while one is running, and sends them again after a roll-back. */
async function inRelease<T>(
  { release: { at, findOthers } }: Pick<SyncRouteDependencies, 'release'>,
  read: (release: SyncedRelease) => T | Promise<T>,
): Promise<T> {
  try {
    return await read({ at, resetsNewer: false })
  } catch (error) {
    if (!(error instanceof OlderReleaseError) || (await findOthers()).length > 0) throw error
    return await read({ at, resetsNewer: true })
  }
}

async function answerKnown(
  { locales, commitLog, pushClients }: SyncRouteDependencies,
  { scope, token, client }: SyncRequest,
  principal: Principal,
  release: SyncedRelease,
): Promise<Omit<Answered, 'rightsSeq'>> {
  const caller = syncerOf(principal, scope)
  const known = { head: commitLog.head(), locales: await locales.current() }
  if (token !== null && client === null && isUpToDate(known, scope, token, caller)) {
    const next = advanced(token, known.head)
    return { scope, items: [], next, more: false, client, pushed: null }
  }
  if (token === null) {
    assertMaySync(principal, scope)
    assertLocales(scope, known.locales)
  }
  const page = await commitLog.readAtHead({ reached: token }, async (at) => {
    const sources = { ...known, ...at, release }
    const from = token ?? beginSync(sources, scope, caller)
    const pushed = await readPushedChanges(pushClients, client, at)
    const read = await readSyncPage(sources, scope, from, caller)
    return { ...read, pushed: pushedIn(pushed, read) }
  })
  return { scope, client, ...page }
}

/** Resolves the principal again, because permissions may have changed during the wait. */
async function answerWoken(
  dependencies: SyncRouteDependencies,
  pages: SharedPages,
  { scope, next, client }: Answered,
  ctx: Context,
): Promise<Answered> {
  const { access, locales, commitLog, pushClients } = dependencies
  const rightsSeq = commitLog.head().seq
  const principal = await pages.inTurn(() => access.principalOf(ctx.get('authorization')))
  const head = commitLog.head()
  const known = await locales.current()
  const codes = known.all.map(({ code, id }) => [code, id])
  const caller = syncerOf(principal, scope)
  const limits = scope.types.map(({ plan }) => caller.limitOf(plan) !== null)
  const at = [head.log, head.seq, known.defaultCode, codes]
  const asked = JSON.stringify([writeToken(next), limits, ...at])
  const read = (): Promise<ReadPage> =>
    inRelease(dependencies, (release) =>
      commitLog.readAtHead({ isRecent: true, reached: next }, async (at) => {
        const sources = { ...at, locales: known, release }
        const pushed = await readPushedChanges(pushClients, client, at)
        const page = await readSyncPage(sources, scope, next, caller)
        return { ...page, pushed: pushedIn(pushed, page) }
      }),
    )
  // The numbers of a client are not for others.
  const page =
    client === null
      ? { ...(await pages.read(principal.grants, asked, read)), pushed: null }
      : await pages.inTurn(read)
  return { scope, rightsSeq, client, ...page }
}

function send(ctx: Context, { items, next, more, client, pushed }: Answered): void {
  const text = writeToken(next)
  ctx.vary('Accept')
  if (ctx.get('authorization') === '') {
    ctx.set('Cache-Control', `public, max-age=${more ? PAGE_SECONDS : TIP_SECONDS}`)
  }
  if (client === null) {
    const tag = createHash('sha256').update(text).digest('hex').slice(0, 24)
    ctx.set('ETag', `"${tag}"`)
    if (isKnown(ctx, tag)) {
      ctx.status = 304
      return
    }
  }
  const end = JSON.stringify({ next: text, more, ...(pushed !== null && { pushed }) })
  if (ctx.accepts('json', NDJSON) === NDJSON) {
    ctx.type = NDJSON
    ctx.body = [...items, end, ''].join('\n')
    return
  }
  ctx.type = 'json'
  ctx.body = `{"items":[${items.join(',')}],${end.slice(1)}`
}
