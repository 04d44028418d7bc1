import { type Finder, finderOf, type OpenType, undecidedIn } from '../sync/read-changes.ts'
import {
  initialProgress,
  lostProgress,
  openTypes,
  readAgain,
  settle,
  type SyncCaller,
} from '../sync/settle.ts'
import { localesOf, type SyncLocales } from '../sync/query/synced-locales.ts'
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
  readonly types: readonly OpenType[]
  readonly find: Finder
  readonly operandTypes: ReadonlySet<string>
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

  constructor(client: LiveClient, caller: SyncCaller, position: Position, locales: SyncLocales) {
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

  settle(caller: SyncCaller, head: Pick<Position, 'seq'>, locales: SyncLocales): void {
    const { scope } = this.client
    const types = openTypes(scope, caller)
    const { token, resets } = settle({ locales, head }, scope, this.#place.token, {
      types,
      caller,
    })
    this.#place = logPositionOf(scope, token, caller)
    this.#send(resetEvents(resets, token))
  }

  lose(reason: LostReason, caller: SyncCaller, position: Position, locales: SyncLocales): void {
    const { scope } = this.client
    const begunAgain = beginNow(scope, caller, position, locales)
    const types = begunAgain.types.map((one) => (one.isLost ? one : { ...one, after: '' }))
    const token = { ...begunAgain, types }
    this.#place = logPositionOf(scope, token, caller)
    this.#send(lostEvent(reason, token))
  }

  tell(commit: LiveCommit, shared: SharedTexts): void {
    if (commit.seq <= this.token.seq) return
    this.#resetUndecided(commit)
    const { token, find, channel } = this.#place
    const make = (): string => commitEvents(find, token, commit)
    const text = token.item > 0 ? make() : shared.textOf(commit.seq, channel, make)
    this.#place = { ...this.#place, token: { ...token, seq: commit.seq, item: 0 } }
    this.#send(text)
  }

  /** The client reads types again if the rule of the caller cannot be decided for a change. */
  #resetUndecided(commit: LiveCommit): void {
    const { find, types } = this.#place
    const undecided = undecidedIn([commit], find)
    if (undecided.size === 0) return
    const { token, resets } = readAgain(this.token, types, undecided, commit.seq)
    this.#place = placeAt(this.client.scope, token, this.#place)
    this.#send(resetEvents(resets, token))
  }

  isAffected({ type, documentId }: LiveItem): boolean {
    if (this.#place.operandTypes.has(type)) return true
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
  const types = openTypes(scope, caller)
  return placeAt(scope, token, { types, operandTypes: new Set<string>(caller.operandTypes) })
}

function placeAt(
  scope: SyncScope,
  token: SyncToken,
  { types, operandTypes }: Pick<LogPosition, 'types' | 'operandTypes'>,
): LogPosition {
  const { asked, log, locales, localeIds } = token
  return {
    token,
    types,
    operandTypes,
    find: finderOf(scope, token, types),
    channel: JSON.stringify([asked, log, token.types, locales, localeIds]),
  }
}

function beginNow(
  scope: SyncScope,
  caller: SyncCaller,
  { log, seq }: Position,
  locales: SyncLocales,
): SyncToken {
  const types = openTypes(scope, caller).map((type) =>
    caller.maySync(type) ? { ...initialProgress(type, seq), after: null } : lostProgress(type),
  )
  const { asked, absent } = scope
  return { asked, log, seq, item: 0, types, ...localesOf(scope, locales), absent }
}
