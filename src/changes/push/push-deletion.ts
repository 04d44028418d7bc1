import { NotFoundError } from '../../base/errors.ts'
import { hooksOf } from '../../content/hooks/document-hooks.ts'
import { deleteDocument, prepareDeletion } from '../../content/write/delete-document.ts'
import { publishDocument } from '../../content/write/publish-document.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { getWholeVersion } from '../../mongo/read/get-versions.ts'
import { revisionOf } from '../../mongo/versions/version-fields.ts'
import type { DeleteMutation } from './push-request.ts'
import { isRuled } from './pushed-type.ts'
import {
  assertVisible,
  conflictWith,
  type PreparedPush,
  type PushedWrite,
  type SettledOutcome,
  type SettlingWrite,
  type WriteResult,
} from './pushed-write.ts'
import { assertMayReplace, attempt, isDraftModified, matching, readLine } from './stored-line.ts'

type Deletion = PushedWrite<DeleteMutation>

const DELETED: SettledOutcome = { outcome: 'applied', revision: null }

export async function pushDeletion(write: SettlingWrite<DeleteMutation>): Promise<WriteResult> {
  return attempt(async () => {
    const planned = await planDeletion(write)
    if ('result' in planned) return planned.result
    await deleteDocument(write.documents, {
      ...requestOf(write, planned.replaced),
      after: (_version, session) => write.settle(DELETED, session),
    })
    return null
  })
}

/** Null if the deletion needs a transaction of its own. @throws CmsError */
export async function preparePushedDeletion(write: Deletion): Promise<PreparedPush | null> {
  const { documents, plan } = write
  // A hook runs once for each deletion that is tried.
  if (hooksOf(documents, plan) !== null) return null
  const planned = await planDeletion(write)
  if ('result' in planned) return null
  const item = await prepareDeletion(documents, requestOf(write, planned.replaced))
  return item === null ? null : { item, outcomeOf: () => DELETED }
}

type PlannedDeletion =
  { readonly result: Exclude<WriteResult, null> } | { readonly replaced: StoredVersion }

/** @throws NotFoundError, ForbiddenError */
async function planDeletion(write: Deletion): Promise<PlannedDeletion> {
  const { plan } = write
  const line = await readLine(write)
  const { stored, overwritten } = line
  if (stored === null) {
    if (isRuled(write.rules, plan, 'delete')) throw new NotFoundError('Not Found')
    return { result: { outcome: 'applied', revision: null, changed: false } }
  }
  await assertVisible(write, stored, 'delete')
  await assertMayReplace(write, line, { verb: 'delete' })
  if (write.base !== revisionOf(stored)) {
    return { result: await conflictWith(write, 'document_changed', stored) }
  }
  if (isDraftModified(write, line)) {
    return { result: await conflictWith(write, 'draft_modified', stored) }
  }
  return { replaced: overwritten ?? stored }
}

function requestOf({ plan, mutation, key, writer, origin }: Deletion, replaced: StoredVersion) {
  const { documentId } = mutation
  const locales = plan.localized ? [key.locale] : ('all' as const)
  return { plan, documentId, locales, writer, origin, condition: matching(replaced) }
}

export async function pushPublication(write: SettlingWrite<DeleteMutation>): Promise<WriteResult> {
  const { documents, plan, mutation, key, writer, origin } = write
  const { documentId } = mutation
  return attempt(async () => {
    const { stored } = await readLine(write)
    if (stored === null) {
      if (isRuled(write.rules, plan, 'publish')) throw new NotFoundError('Not Found')
      return conflictWith(write, 'document_deleted', null)
    }
    await assertVisible(write, stored, 'publish')
    if (write.base !== revisionOf(stored)) return conflictWith(write, 'document_changed', stored)
    await publishDocument(documents, {
      plan,
      documentId,
      locales: { kind: 'one', locales: [key.locale] },
      writer,
      origin,
      condition: matching(stored),
      after: async (_published, session) => {
        const draft = await getWholeVersion(documents.database, plan, documentId, key, session)
        const revision = draft === null ? null : revisionOf(draft)
        await write.settle({ outcome: 'applied', revision }, session)
      },
    })
    return null
  })
}
