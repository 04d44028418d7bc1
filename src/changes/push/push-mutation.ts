import { applyOperation, elementKeyOf } from '@quire/merge/apply-operation'
import { NotFoundError, PreconditionFailedError, ValidationError } from '../../base/errors.ts'
import { isRecord } from '../../base/is-record.ts'
import { createDocument } from '../../content/write/create-document.ts'
import { deleteDocument } from '../../content/write/delete-document.ts'
import { publishDocument } from '../../content/write/publish-document.ts'
import { updateDocument } from '../../content/write/update-document.ts'
import type { AfterWrite, WriteCondition, Writer } from '../../content/write-target.ts'
import type { WriteOrigin } from '../../mongo/connection/authorship.ts'
import type { Session } from '../../mongo/connection/database.ts'
import { getAllVersions, getWholeVersion } from '../../mongo/read/get-versions.ts'
import type { PushedKeys, PushedOutcome } from '../../mongo/system/push-clients.ts'
import { haveSameContent } from '../../mongo/versions/stored-content.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { revisionOf } from '../../mongo/versions/version-fields.ts'
import type { Status, VersionKey } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { type Attributes, type MergedPatch, mergePatch, takesOperation } from './merge-patch.ts'
import { isRuled, isStoredVisible, type PushReader, rowValues } from './pushed-type.ts'
import { type ConflictCode, pickConflict, type PushConflict } from './push-conflict.ts'
import type { CreateMutation, DeleteMutation, Patch, UpdateMutation } from './push-request.ts'

export interface PushedWrite<M> extends PushReader {
  readonly plan: ContentTypePlan
  readonly mutation: M
  /** The revision that `base` stands for. */
  readonly base: string | null
  readonly key: VersionKey
  readonly status: Status
  readonly attributes: Attributes
  readonly writer: Writer
  readonly origin: WriteOrigin
  /** Stores the outcome in the transaction of the write. */
  readonly settle: (outcome: SettledOutcome, session: Session) => Promise<void>
}

export type SettledOutcome = Omit<PushedOutcome, 'n' | 'documentId'>

/** Null if the write was stored and settled. `unchanged`: there was no write to store. */
export type WriteResult = PushConflict | 'unchanged' | null

/** How often a mutation is merged again because the entry changed in the meantime. */
const ATTEMPTS = 8

export async function pushCreation(write: PushedWrite<CreateMutation>): Promise<WriteResult> {
  const { documents, plan, key, writer, origin, mutation, attributes } = write
  const { documentId, patch } = mutation
  const fault = unknownAttributes(write, patch, {})
  if (fault !== null) return fault
  const stored = await getAllVersions(documents.database, plan, documentId)
  const [there] = stored
  if (there !== undefined) {
    await assertVisible(write, there, 'update')
    return conflictWith(write, 'document_exists', there, patchedOf(write, patch))
  }
  const sides = { patch, seen: {}, current: {}, isBase: true }
  const merged = mergePatch(attributes, sides)
  const filledUids = 'required' as const
  const target = { plan, documentId, key, writer, origin, filledUids, ...publishing(write) }
  await createDocument(documents, target, merged.payload, (version, session) =>
    write.settle(settled(merged, version, true), session),
  )
  return null
}

export async function pushUpdate(write: PushedWrite<UpdateMutation>): Promise<WriteResult> {
  const { plan, mutation } = write
  const { patch, seen } = mutation
  return attempt(async () => {
    const fault = unknownAttributes(write, patch, seen)
    if (fault !== null) return fault
    const line = await readLine(write)
    const { stored, overwritten } = line
    if (stored === null) return updateMissing(write, line)
    await assertVisible(write, stored, 'update')
    const patched = patchedOf(write, patch)
    if (isDraftModified(write, line)) {
      return conflictWith(write, 'draft_modified', stored, patched)
    }
    const current = await rowValues(write, plan, patched, stored)
    const isBase = write.base === revisionOf(stored)
    const merged = mergePatch(write.attributes, { patch, seen, current, isBase })
    const clash = { base: seen, mine: merged.mine, theirs: current, revision: revisionOf(stored) }
    if (merged.conflicts.length > 0) {
      return pickConflict('attribute_conflict', merged.conflicts, clash)
    }
    try {
      await store(write, merged, { condition: matching(overwritten ?? stored), stored, isBase })
      return null
    } catch (error) {
      if (!(error instanceof ValidationError) || merged.merged.length === 0) throw error
      return { ...pickConflict('invalid_after_merge', [...patch.keys()], clash), error }
    }
  })
}

export async function pushDeletion(write: PushedWrite<DeleteMutation>): Promise<WriteResult> {
  const { documents, plan, mutation, key, writer, origin } = write
  const { documentId } = mutation
  return attempt(async () => {
    const line = await readLine(write)
    const { stored, overwritten } = line
    if (stored === null) {
      if (isRuled(write.rules, plan, 'delete')) throw new NotFoundError('Not Found')
      return 'unchanged'
    }
    await assertVisible(write, stored, 'delete')
    if (write.base !== revisionOf(stored)) return conflictWith(write, 'document_changed', stored)
    if (isDraftModified(write, line)) return conflictWith(write, 'draft_modified', stored)
    await deleteDocument(documents, {
      plan,
      documentId,
      locales: plan.localized ? [key.locale] : 'all',
      writer,
      origin,
      condition: matching(overwritten ?? stored),
      after: (_version, session) => write.settle({ outcome: 'applied', revision: null }, session),
    })
    return null
  })
}

export async function pushPublication(write: PushedWrite<DeleteMutation>): Promise<WriteResult> {
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

interface StoredLine {
  /** The version of the status of the store. */
  readonly stored: StoredVersion | null
  /** The version that a write replaces. */
  readonly overwritten: StoredVersion | null
  readonly published: StoredVersion | null
}

type AnyWrite = PushedWrite<{ readonly documentId: string }>

async function readLine({ documents, plan, key, mutation }: AnyWrite): Promise<StoredLine> {
  const get = (status: Status) =>
    getWholeVersion(documents.database, plan, mutation.documentId, { ...key, status }, undefined)
  const published = await get('published')
  const draft = plan.draftAndPublish ? await get('draft') : null
  const overwritten = draft ?? published
  return { stored: key.status === 'draft' ? overwritten : published, overwritten, published }
}

function isDraftModified({ plan, key }: AnyWrite, { overwritten, published }: StoredLine): boolean {
  if (!plan.draftAndPublish || key.status === 'draft') return false
  if (overwritten === null || published === null) return false
  return !haveSameContent(plan, overwritten, published)
}

/** A mutation of a missing version creates it, if its locale is new. */
async function updateMissing(
  write: PushedWrite<UpdateMutation>,
  { overwritten }: StoredLine,
): Promise<WriteResult> {
  const { plan, mutation, base, attributes } = write
  const { patch, seen } = mutation
  const mayCreate = plan.localized || plan.kind === 'singleType'
  if (base === null && mayCreate && overwritten === null) {
    const merged = mergePatch(attributes, { patch, seen, current: {}, isBase: true })
    if (await storeMissing(write, merged)) return null
  }
  if (isRuled(write.rules, plan, 'update')) throw new NotFoundError('Not Found')
  return conflictWith(write, 'document_deleted', null, patchedOf(write, patch))
}

/** False if the document is missing. */
async function storeMissing(
  write: PushedWrite<UpdateMutation>,
  merged: MergedPatch,
): Promise<boolean> {
  try {
    const condition = { match: null, noneMatch: '*' } as const
    await store(write, merged, { condition, stored: null, isBase: true })
    return true
  } catch (error) {
    if (error instanceof NotFoundError) return false
    throw error
  }
}

interface Replaced {
  readonly condition: WriteCondition
  readonly stored: StoredVersion | null
  /** Whether the stored version is the base of the patch. */
  readonly isBase: boolean
}

async function store(
  write: PushedWrite<UpdateMutation>,
  merged: MergedPatch,
  { condition, stored, isBase }: Replaced,
): Promise<void> {
  const { documents, plan, key, writer, origin, mutation } = write
  const after: AfterWrite = async (version, session) => {
    if (version === null) throw new Error('an update has a version')
    // Another writer unpublished the entry in the meantime, and this write would publish it again.
    if (stored !== null && version.id !== stored.id) throw new EntryReplaced()
    await write.settle(settled(merged, version, isBase), session)
  }
  const { documentId } = mutation
  const writing = { plan, documentId, key, writer, origin, ...publishing(write) }
  const target = { ...writing, condition, after }
  await updateDocument(documents, target, merged.payload)
}

/** Stores of published versions write them directly. */
function publishing({ plan, key }: Pick<AnyWrite, 'plan' | 'key'>) {
  return { publishes: plan.draftAndPublish && key.status === 'published' }
}

class EntryReplaced extends Error {
  constructor() {
    super('Another writer replaced the version')
    this.name = 'EntryReplaced'
  }
}

/** Merges again while other writers change the entry. @throws PreconditionFailedError after some attempts */
async function attempt(work: () => Promise<WriteResult>): Promise<WriteResult> {
  for (let count = 1; ; count += 1) {
    try {
      return await work()
    } catch (error) {
      const isLost = error instanceof PreconditionFailedError || error instanceof EntryReplaced
      if (!isLost) throw error
      if (count === ATTEMPTS) throw new PreconditionFailedError('The entry keeps changing', null)
    }
  }
}

function matching(version: StoredVersion): WriteCondition {
  return { match: new Set([revisionOf(version)]), noneMatch: null }
}

/** @throws NotFoundError */
async function assertVisible(
  write: AnyWrite,
  stored: StoredVersion,
  verb: 'update' | 'delete' | 'publish',
): Promise<void> {
  const { plan, rules, writer } = write
  if (!isRuled(rules, plan, verb)) return
  if (!(await isStoredVisible(write, plan, stored, writer.locale))) {
    throw new NotFoundError('Not Found')
  }
}

function patchedOf({ attributes }: Pick<AnyWrite, 'attributes'>, patch: Patch): Attributes {
  return new Map([...attributes].filter(([name]) => patch.has(name)))
}

function unknownAttributes(
  { attributes }: Pick<AnyWrite, 'attributes'>,
  patch: Patch,
  seen: Data,
): PushConflict | null {
  const unknown = [...patch].flatMap(([name, operation]) => {
    const attribute = attributes.get(name)
    return attribute !== undefined && takesOperation(attribute, operation) ? [] : [name]
  })
  if (unknown.length === 0) return null
  const sides = { ...clientSides({ patch, seen }), theirs: {}, revision: null }
  return { ...pickConflict('unknown_attribute', unknown, sides), theirs: null }
}

/** A conflict about the whole entry. Shows the attributes of a patch, or all of them. */
async function conflictWith(
  write: AnyWrite,
  code: ConflictCode,
  stored: StoredVersion | null,
  shown: Attributes = write.attributes,
): Promise<PushConflict> {
  const theirs = stored === null ? null : await rowValues(write, write.plan, shown, stored)
  const revision = stored === null ? null : revisionOf(stored)
  return { code, attributes: [], ...clientSides(write.mutation), theirs, revision }
}

/** The values of the client before and after the mutation. */
export function clientSides(mutation: object): { readonly base: Data; readonly mine: Data } {
  if (!('patch' in mutation) || !(mutation.patch instanceof Map)) return { base: {}, mine: {} }
  const patch: Patch = mutation.patch
  const base = 'seen' in mutation && isRecord(mutation.seen) ? mutation.seen : {}
  const mine = [...patch].map(
    ([name, one]) => [name, applyOperation(base[name], one, elementKeyOf).value] as const,
  )
  return { base, mine: Object.fromEntries(mine) }
}

function settled(
  { merged, keys }: MergedPatch,
  version: StoredVersion,
  isBase: boolean,
): SettledOutcome {
  const ids = keysOf(keys, version)
  const revision = revisionOf(version)
  return {
    outcome: merged.length > 0 ? 'merged' : 'applied',
    revision,
    ...(merged.length > 0 && { attributes: merged }),
    ...(ids.length > 0 && { keys: ids }),
    ...(!isBase && { rebased: true as const }),
  }
}

function keysOf(keys: MergedPatch['keys'], version: StoredVersion): PushedKeys {
  return keys.flatMap(({ attribute, key, index }) => {
    const list: unknown = version[attribute]
    const element: unknown = Array.isArray(list) ? list[index] : undefined
    const id: unknown =
      typeof element === 'object' && element !== null && 'id' in element ? element.id : undefined
    return typeof id === 'number' ? [{ attribute, key, id }] : []
  })
}
