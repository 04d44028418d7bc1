import { hooksOf } from '../../content/hooks/document-hooks.ts'
import { createDocument, prepareCreation } from '../../content/write/create-document.ts'
import { getAllVersions } from '../../mongo/read/get-versions.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { type MergedPatch, mergePatch } from './merge-patch.ts'
import type { CreateMutation } from './push-request.ts'
import {
  assertVisible,
  conflictWith,
  patchedOf,
  type PreparedPush,
  publishing,
  type PushedWrite,
  settled,
  type SettledOutcome,
  type SettlingWrite,
  unknownAttributes,
  type WriteResult,
} from './pushed-write.ts'

type Creation = PushedWrite<CreateMutation>

export async function pushCreation(write: SettlingWrite<CreateMutation>): Promise<WriteResult> {
  const { documents, plan, mutation } = write
  const { documentId, patch } = mutation
  const fault = unknownAttributes(write, patch, {})
  if (fault !== null) return fault
  const stored = await getAllVersions(documents.database, plan, documentId)
  const [there] = stored
  if (there !== undefined) {
    await assertVisible(write, there, 'update')
    return conflictWith(write, 'document_exists', there, patchedOf(write, patch))
  }
  const merged = mergeNew(write)
  await createDocument(documents, targetOf(write), merged.payload, (version, session) =>
    write.settle(settled(merged, version, true), session),
  )
  return null
}

/** Null if the creation of a missing entry needs a transaction of its own. @throws CmsError */
export async function preparePushedCreation(write: Creation): Promise<PreparedPush | null> {
  const { documents, plan, mutation } = write
  // Creations that cannot be stored together are tried again one by one, and a hook must not run twice.
  if (hooksOf(documents, plan) !== null) return null
  if (unknownAttributes(write, mutation.patch, {}) !== null) return null
  const merged = mergeNew(write)
  const { item, isShareable } = await prepareCreation(documents, targetOf(write), merged.payload)
  return isShareable ? { item, outcomeOf: (version) => outcomeOf(merged, version) } : null
}

function outcomeOf(merged: MergedPatch, version: StoredVersion | null): SettledOutcome {
  if (version === null) throw new Error('a creation has a version')
  return settled(merged, version, true)
}

function mergeNew({ attributes, mutation }: Pick<Creation, 'attributes' | 'mutation'>) {
  const { patch } = mutation
  return mergePatch(attributes, { patch, seen: {}, current: {}, isBase: true })
}

function targetOf(write: Creation) {
  const { plan, key, writer, origin, mutation } = write
  const { documentId } = mutation
  const filledUids = 'required' as const
  return { plan, documentId, key, writer, origin, filledUids, ...publishing(write) }
}
