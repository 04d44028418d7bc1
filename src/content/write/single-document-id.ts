import { documentIdFrom } from '@quire/schema/derived-id'
import type { Uid } from '../../schema/definition.ts'

/** Derived from the uid, so that no lookup is needed. */
export function singleDocumentId(uid: Uid): string {
  return documentIdFrom('s', uid)
}
