import type { Finder } from '../documents/sync/read-changes.ts'
import { resetItem, shownLocale } from '../documents/sync/sync-items.ts'
import type { TypeReset } from '../documents/sync/settle.ts'
import { type SyncToken, writeToken } from '../query/sync/sync-token.ts'
import type { LiveCommit } from './live-log.ts'

/** Why a client must forget everything: what it has is of another log, of before its beginning, or too far behind. */
export type LostReason = 'log' | 'retention' | 'backlog'

/** Why a stream ends. */
export type EndReason = 'shutdown' | 'credentials' | 'permission' | 'error'

/** Server-sent events: https://html.spec.whatwg.org/multipage/server-sent-events.html */
export const HEARTBEAT = ':\n\n'

/**
 * The changes of a commit in a scope, an event each, without content. The last event carries the token: a commit that was
 * cut off in the middle is sent again as a whole. Empty where it changed nothing.
 */
export function commitEvents(find: Finder, token: SyncToken, commit: LiveCommit): string {
  const skipped = commit.seq === token.seq + 1 ? token.item : 0
  const events: string[] = []
  for (const item of commit.items.slice(skipped)) {
    const found = find(item)
    if (found === null) continue
    const { documentId, op, revision } = item
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

/** Nothing but where the client stands: it is no event, but what `Last-Event-ID` says from then on. */
export function idOnly(token: SyncToken): string {
  return `id: ${writeToken(token)}\n\n`
}

/** The client comes back after so long, and not all at the same moment. */
export function endEvent(reason: EndReason, retryMs: number): string {
  return `retry: ${retryMs}\nevent: end\ndata: ${JSON.stringify({ reason })}\n\n`
}

function withToken(events: readonly string[], token: SyncToken): string {
  if (events.length === 0) return ''
  return `${events.join('\n')}${idOnly(token)}`
}
