import { valueKey } from '../../mongo/write/find-by-unique.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import type { DocumentContext } from '../context.ts'
import type { WriteTarget } from '../write-target.ts'
import { type BatchView, keyedDocumentId } from './batch-view.ts'
import type { BulkLine, Key, UpsertLine } from './bulk-line.ts'
import type { BulkWriter } from './bulk-writer.ts'

export interface Located {
  readonly documentId: string
  readonly versions: readonly StoredVersion[]
}

export function locateDocument(context: DocumentContext, view: BatchView, line: BulkLine): Located {
  const { plan, address, version } = line
  if ('documentId' in address) {
    const { documentId } = address
    return { documentId, versions: view.versions(plan, documentId) }
  }
  const found = view.find(plan, address.key, version.locale)
  if (found !== undefined) return { documentId: found, versions: view.versions(plan, found) }
  const derived = keyedDocumentId(plan, address.key, version.locale)
  const made = view.versions(plan, derived)
  // A concurrent request has created the document after the lookup by value and before the lookup by documentId.
  if (made.some((each) => holds(each, address.key))) return { documentId: derived, versions: made }
  // If the derived documentId belongs to a document whose value has changed since, the new document needs another
  // id.
  return { documentId: made.length > 0 ? context.newDocumentId() : derived, versions: [] }
}

function holds(version: StoredVersion, { attribute, value }: Key): boolean {
  const held = version[attribute.name] ?? null
  return held !== null && valueKey(attribute, held) === valueKey(attribute, value)
}

/** Applies the permissions of a single create or update request. @throws ForbiddenError */
export function assertMayUpsert(
  writer: BulkWriter,
  { plan }: UpsertLine,
  { versions }: Located,
): void {
  const isNew = versions.length === 0 && plan.kind === 'collectionType'
  writer.assertMay(plan, isNew ? 'create' : 'update')
}

/** @throws ForbiddenError before any lookup, if the writer lacks every permission that the line could need */
export function assertMayAsk(writer: BulkWriter, { op, plan }: BulkLine): void {
  if (op === 'delete') writer.assertMay(plan, 'delete')
  else if (!writer.may(plan, 'create')) writer.assertMay(plan, 'update')
}

export function targetOf(line: UpsertLine, documentId: string, writer: BulkWriter): WriteTarget {
  return {
    plan: line.plan,
    documentId,
    key: line.version,
    writer: { mayRead: (uid) => writer.mayRead(uid), locale: line.ownersLocale },
  }
}
