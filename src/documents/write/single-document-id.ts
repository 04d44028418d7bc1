import { documentIdFrom } from '../../mongo/versions/document-id.ts'
import type { Uid } from '../../schema/definition.ts'

/** The documentId of a single type: it follows from the uid, so that no look-up is needed to address it. */
export function singleDocumentId(uid: Uid): string {
  return documentIdFrom('s', uid)
}
