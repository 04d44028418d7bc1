import { randomUUID } from 'node:crypto'
import { ObjectId } from 'mongodb'
import { assertTypeWritable } from '../../schema/adopted-verbs.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { newDocumentId } from './document-id.ts'

/** The documentId of a new entry of the type. @throws ForbiddenError if only another service makes its ids */
export function newEntryId(plan: Pick<ContentTypePlan, 'singularName' | 'adopted'>): string {
  if (plan.adopted === undefined) return newDocumentId()
  assertTypeWritable(plan, 'create')
  return plan.adopted.idKind === 'uuid' ? randomUUID() : new ObjectId().toHexString()
}
