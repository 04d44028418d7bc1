import { type Finder, finderOf } from '../sync/read-changes.ts'
import { codesOf, openTypes, settle, initialProgress, type SyncCaller } from '../sync/settle.ts'
import type { LocaleRules } from '../../query/query.ts'
import type { SyncScope } from '../sync/query/parse-scope.ts'
import type { SyncToken } from '../sync/query/sync-token.ts'
import { commitEvents, idOnly, type LostReason, lostEvent, resetEvents } from './live-events.ts'
import type { LiveCommit, LiveItem, LiveLog } from './live-log.ts'

export interface Sink {
  write(text: string): void
  isBehind(): boolean
  drained(): Promise<void>
  end(text: string): void
}

export interface LiveClient {
  readonly scope: SyncScope
  /** Null for a stream that starts at the current head. */
  readonly token: SyncToken | null
  readonly gone: readonly string[]
  readonly userId: string | null
  readonly address: string
  /** @throws UnauthorizedError, or ForbiddenError if no permission is left */
  readonly identify: () => Promise<SyncCaller>
  readonly sink: Sink
}

interface LogPosition {
  readonly token: SyncToken
  readonly find: Finder
  readonly channel: string
}

export interface SharedTexts {
  textOf(seq: number, channel: string, make: () => string): string
}

export function openSharedTexts(): SharedTexts {
  const texts = new Map<string, string>()
  let of = -1
  return {
    textOf: (seq, channel, make) => {
      if (of !== seq) texts.clear()
      of = seq
      const known = texts.get(channel)
      if (known !== undefined) return known
      const text = make()
      texts.set(channel, text)
      return text
    },
  }
}

type Position = ReturnType<LiveLog['position']>

/** After this many commits outside the scope, a heartbeat sends a token that stays in the log. */
const LAG = 256

export class LiveStream {
  readonly client: LiveClient
  #place: LogPosition
  #sent = -1

  constructor(client: LiveClient, caller: SyncCaller, position: Position, locales: LocaleRules) {
    this.client = client
    const token = client.token ?? beginNow(client.scope, caller, position, locales)
    this.#place = logPositionOf(client.scope, token, caller)
  }

  get token(): SyncToken {
    return this.#place.token
  }

  isPermitted(caller: SyncCaller): boolean {
    return this.client.scope.types.some((type) => caller.maySync(type))
  }

  begin(): void {
    const { gone, sink } = this.client
    for (const type of gone) {
      sink.write(`event: reset\ndata: ${JSON.stringify({ type, reason: 'schema' })}\n\n`)
    }
    this.#send(idOnly(this.#place.token))
  }

  settle(caller: SyncCaller, locales: LocaleRules): void {
    const { scope } = this.client
    const types = openTypes(scope, caller)
    const { token, resets } = settle({ locales }, scope, this.#place.token, { types, caller })
    this.#place = logPositionOf(scope, token, caller)
    this.#send(resetEvents(resets, token))
  }

  lose(reason: LostReason, caller: SyncCaller, position: Position, locales: LocaleRules): void {
    const { scope } = this.client
    const begunAgain = beginNow(scope, caller, position, locales)
    const types = begunAgain.types.map((one) => (one.isLost ? one : initialProgress(one.shape)))
    const token = { ...begunAgain, types }
    this.#place = logPositionOf(scope, token, caller)
    this.#send(lostEvent(reason, token))
  }

  tell(commit: LiveCommit, shared: SharedTexts): void {
    const { token, find, channel } = this.#place
    if (commit.seq <= token.seq) return
    const make = (): string => commitEvents(find, token, commit)
    const text = token.item > 0 ? make() : shared.textOf(commit.seq, channel, make)
    this.#place = { ...this.#place, token: { ...token, seq: commit.seq, item: 0 } }
    this.#send(text)
  }

  isAffected({ type, documentId }: LiveItem): boolean {
    return RIGHTS.has(type) || (type === USER && documentId === this.client.userId)
  }

  lag(): string | null {
    const { token } = this.#place
    if (token.seq < this.#sent + LAG) return null
    this.#sent = token.seq
    return idOnly(token)
  }

  #send(text: string): void {
    if (text === '') return
    this.#sent = this.#place.token.seq
    this.client.sink.write(text)
  }
}

const USER = 'plugin::users-permissions.user'

export const RIGHTS: ReadonlySet<string> = new Set([
  'admin::api-token',
  'plugin::i18n.locale',
  'plugin::users-permissions.role',
])

function logPositionOf(scope: SyncScope, token: SyncToken, caller: SyncCaller): LogPosition {
  const { asked, log, types, locales } = token
  return {
    token,
    find: finderOf(scope, token, openTypes(scope, caller)),
    channel: JSON.stringify([asked, log, types, locales]),
  }
}

function beginNow(
  scope: SyncScope,
  caller: SyncCaller,
  { log, seq }: Position,
  locales: LocaleRules,
): SyncToken {
  const types = openTypes(scope, caller).map((type) => ({
    after: null,
    isLost: !caller.maySync(type),
    shape: type.shape.digest,
  }))
  const { asked, absent } = scope
  return { asked, log, seq, item: 0, types, locales: codesOf(scope, locales), absent }
}
