import { findIdText } from '../../mongo/adopted/find-id-kind.ts'
import {
  findOwnTransactions,
  type ForeignEvent,
  transactionOf,
} from '../../mongo/adopted/foreign-stream.ts'
import type { CommitItem } from '../../mongo/connection/database.ts'
import { NO_LOCALE } from '../../schema/no-locale.ts'
import type { FollowedCollection } from './foreign-row.ts'

const PUTS: ReadonlySet<string> = new Set(['insert', 'update', 'replace'])

export interface ForeignChanges {
  readonly items: readonly CommitItem[]
  /** Types whose collection was dropped, renamed or replaced. */
  readonly lost: ReadonlySet<string>
}

/** Leaves out own transactions, because the commit log has their rows. */
export function readForeignChanges(
  events: readonly ForeignEvent[],
  followed: readonly FollowedCollection[],
): ForeignChanges {
  const items: CommitItem[] = []
  const lost = new Set<string>()
  const own = findOwnTransactions(events)
  for (const event of events) {
    const transaction = transactionOf(event)
    if (transaction !== null && own.has(transaction)) continue
    for (const collection of followed.filter((one) => concerns(event, one))) {
      if (isOfDocument(event)) items.push(...itemsOf(event, collection))
      else lost.add(collection.type)
    }
  }
  return { items, lost }
}

function concerns({ ns, to }: ForeignEvent, { collection }: FollowedCollection): boolean {
  return collection === ns?.coll || collection === to?.coll
}

type DocumentEvent = ForeignEvent & Required<Pick<ForeignEvent, 'documentKey'>>

function isOfDocument(event: ForeignEvent): event is DocumentEvent {
  const { operationType, documentKey } = event
  return documentKey !== undefined && (operationType === 'delete' || PUTS.has(operationType))
}

/** Documents with another type of `_id` are not served, so their changes are left out. */
function itemsOf(
  { operationType, documentKey }: DocumentEvent,
  { type, idKind }: FollowedCollection,
): readonly CommitItem[] {
  const documentId = findIdText(idKind, documentKey._id)
  if (documentId === null) return []
  const isNew = operationType === 'insert' && { isNew: true as const }
  const op = operationType === 'delete' ? 'delete' : 'put'
  const version = { type, documentId, locale: NO_LOCALE, status: 'published' } as const
  return [{ ...version, op, revision: null, ...isNew }]
}

/** With the precision of the database: milliseconds since MongoDB 6.0, before that seconds. */
export function timeOfEvent({ wallTime, clusterTime }: ForeignEvent): Date | null {
  return wallTime ?? (clusterTime === undefined ? null : new Date(clusterTime.t * 1000))
}
