import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Session } from '../connection/database.ts'
import { turnOf } from '../sharing/session-turns.ts'
import { uniqueValues } from './unique-values.ts'

/**
 * Makes this transaction the only one of the process that writes these documents. Call it before the first command that
 * reads or writes them: an attempt that has to wait is undone.
 * @throws TurnTaken, for the transaction to wait and to run again
 */
export function takeDocuments(
  { collectionName }: ContentTypePlan,
  documentIds: readonly string[],
  session: Session,
): void {
  turnOf(session)?.take(documentIds.map((documentId) => keyOf(collectionName, documentId)))
}

/** False where another transaction of this process writes or is about to write the document. */
export function tryTakeDocument(
  { collectionName }: ContentTypePlan,
  documentId: string,
  session: Session,
): boolean {
  return turnOf(session)?.tryTake([keyOf(collectionName, documentId)]) ?? true
}

/** The same for the unique values of a published version. @throws TurnTaken */
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

/** The same for reservations, by their ids. @throws TurnTaken */
export function takeReservations(ids: readonly string[], session: Session): void {
  turnOf(session)?.take(ids.map((id) => `reservation ${id}`))
}

function keyOf(collectionName: string, documentId: string): string {
  return `${collectionName} ${documentId}`
}
