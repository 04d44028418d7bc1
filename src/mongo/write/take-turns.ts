import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Session } from '../connection/database.ts'
import { turnOf } from '../sharing/session-turns.ts'
import { uniqueValues } from './unique-values.ts'

/**
 * Reserves documents for this transaction within the process. Call it before the first command that
 * reads or writes them, because waiting aborts the attempt.
 * @throws TurnTaken, after which the transaction waits and retries
 */
export function takeDocuments(
  { collectionName }: ContentTypePlan,
  documentIds: readonly string[],
  session: Session,
): void {
  turnOf(session)?.take(documentIds.map((documentId) => keyOf(collectionName, documentId)))
}

/** Returns false if another transaction of this process has reserved the document. */
export function tryTakeDocument(
  { collectionName }: ContentTypePlan,
  documentId: string,
  session: Session,
): boolean {
  return turnOf(session)?.tryTake([keyOf(collectionName, documentId)]) ?? true
}

/** Reserves the unique values of a published version. @throws TurnTaken */
export function takeValues(
  plan: ContentTypePlan,
  { locale, status, values }: { locale: string; status: string; values: Data },
  session: Session,
): void {
  if (status !== 'published') return
  const keys = uniqueValues(plan, values).map(
    ({ attribute, value }) => `${plan.collectionName}.${attribute.name} ${locale} ${String(value)}`,
  )
  turnOf(session)?.take(keys)
}

/** Reserves reservations by their ids. @throws TurnTaken */
export function takeReservations(ids: readonly string[], session: Session): void {
  turnOf(session)?.take(ids.map((id) => `reservation ${id}`))
}

function keyOf(collectionName: string, documentId: string): string {
  return `${collectionName} ${documentId}`
}
