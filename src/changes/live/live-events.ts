import type { Finder } from '../sync/read-changes.ts'
import { resetItem, shownLocale } from '../sync/sync-items.ts'
import type { TypeReset } from '../sync/settle.ts'
import { type SyncToken, writeToken } from '../sync/query/sync-token.ts'
import type { LiveCommit } from './live-log.ts'

/** The token belongs to another log, precedes the retained log, or is too far behind. */
export type LostReason = 'log' | 'retention' | 'backlog'

export type EndReason = 'shutdown' | 'credentials' | 'permission' | 'error'

/** Server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html */
export const HEARTBEAT = ':\n\n'

/** Random delay, so that clients do not reconnect all at once. */
const RETRY_MS = { least: 500, most: 5_000 } as const

/** Only the last event carries the token: an interrupted commit is sent again as a whole. */
export function commitEvents(find: Finder, token: SyncToken, commit: LiveCommit): string {
  const skipped = commit.seq === token.seq + 1 ? token.item : 0
  const events: string[] = []
  for (const item of commit.items.slice(skipped)) {
    const found = find(item, commit.seq)
    if (found === null) continue
    const { documentId } = item
    const op = found.op ?? item.op
    const revision = op === 'delete' ? null : item.revision
    const locale = shownLocale(item.locale)
    events.push(JSON.stringify({ type: found.type.name, documentId, locale, op, revision }))
  }
  return withToken(
    events.map((data) => `data: ${data}\n`),
    { ...token, seq: commit.seq, item: 0 },
  )
}

export function resetEvents(resets: readonly TypeReset[], token: SyncToken): string {
  return withToken(
    resets.map(({ type, reset }) => {
      const { op: _op, ...told } = JSON.parse(resetItem(type, reset)) as Record<string, unknown>
      return `event: reset\ndata: ${JSON.stringify(told)}\n`
    }),
    token,
  )
}

export function lostEvent(reason: LostReason, token: SyncToken): string {
  return withToken([`event: reset\ndata: ${JSON.stringify({ reason })}\n`], token)
}

/** Sets only the `Last-Event-ID` of the client; without data no event is dispatched. */
export function idOnly(token: SyncToken): string {
  return `id: ${writeToken(token)}\n\n`
}

export function endEvent(reason: EndReason): string {
  return `retry: ${retryMs()}\nevent: end\ndata: ${JSON.stringify({ reason })}\n\n`
}

function retryMs(): number {
  const { least, most } = RETRY_MS
  return Math.round(least + Math.random() * (most - least))
}

function withToken(events: readonly string[], token: SyncToken): string {
  if (events.length === 0) return ''
  return `${events.join('\n')}${idOnly(token)}`
}
