import { NotFoundError, PreconditionFailedError, ValidationError } from '../../base/errors.ts'
import { PreviousChanged } from '../../content/hooks/seen-versions.ts'
import { holdsAlready } from '../../content/rules/holds-already.ts'
import { deleteDocument } from '../../content/write/delete-document.ts'
import { publishDocument } from '../../content/write/publish-document.ts'
import { updateDocument } from '../../content/write/update-document.ts'
import { type RuledWrite, underRules } from '../../content/write-rules.ts'
import type { AfterWrite, WriteCondition, WriteRequest } from '../../content/write-target.ts'
import { findVersions, getWholeVersion } from '../../mongo/read/get-versions.ts'
import { haveSameContent } from '../../mongo/versions/stored-content.ts'
import {
  asVersion,
  type StoredVersion,
  type VersionDocument,
} from '../../mongo/versions/stored-version.ts'
import { revisionOf } from '../../mongo/versions/version-fields.ts'
import { versionId } from '../../mongo/versions/version-match.ts'
import { contentAction } from '../../people/access/actions.ts'
import type { Status } from '../../query/query.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { type MergedPatch, mergePatch } from './merge-patch.ts'
import { isRuled, rowValues } from './pushed-type.ts'
import { pickConflict } from './push-conflict.ts'
import type { DeleteMutation, UpdateMutation } from './push-request.ts'
import {
  type AnyWrite,
  assertVisible,
  conflictWith,
  isVisible,
  patchedOf,
  publishing,
  type PushedWrite,
  settled,
  type SettledOutcome,
  type Unchanged,
  unknownAttributes,
  type WriteResult,
} from './pushed-write.ts'

/** How often a mutation is merged again because the entry changed in the meantime. */
const ATTEMPTS = 8

export async function pushUpdate(write: PushedWrite<UpdateMutation>): Promise<WriteResult> {
  const { plan, mutation } = write
  const { patch, seen } = mutation
  return attempt(async () => {
    const fault = unknownAttributes(write, patch, seen)
    if (fault !== null) return fault
    const line = await readLine(write)
    const stored = await seenVersion(write, line)
    if (stored === null) return updateMissing(write, line)
    await assertMayReplace(write, line, { verb: 'update', data: Object.fromEntries(patch) })
    const patched = patchedOf(write, patch)
    if (isDraftModified(write, line)) {
      return conflictWith(write, 'draft_modified', stored, patched)
    }
    const theirs = await rowValues(write, plan, patched, stored)
    const current = plan.validators.withoutAliases(theirs)
    const isBase = write.base === revisionOf(stored)
    const merged = mergePatch(write.attributes, { patch, seen, current, isBase })
    const clash = { base: seen, mine: merged.mine, theirs, revision: revisionOf(stored) }
    if (merged.conflicts.length > 0) {
      return pickConflict('attribute_conflict', merged.conflicts, clash)
    }
    if (await isWithoutEffect(write, merged, stored)) {
      return unchanged(settled(merged, stored, isBase))
    }
    try {
      await store(write, merged, {
        replaced: replacing(plan, line.overwritten ?? stored),
        stored,
        isBase,
      })
      return null
    } catch (error) {
      if (!(error instanceof ValidationError) || merged.merged.length === 0) throw error
      return { ...pickConflict('invalid_after_merge', [...patch.keys()], clash), error }
    }
  })
}

/** Hooks are not called then, because there is no write that they could change. */
async function isWithoutEffect(
  { documents, rules, plan, writer, key }: AnyWrite,
  { payload }: MergedPatch,
  version: StoredVersion,
): Promise<boolean> {
  if (Object.keys(payload).length > 0) return false
  const publishes = plan.draftAndPublish && key.status === 'published'
  if (publishes && !rules.has(contentAction(plan, 'publish'))) return false
  return holdsAlready(documents, rules, { plan, version, locale: writer.locale })
}

function unchanged(outcome: SettledOutcome): Unchanged {
  return {
    ...outcome,
    outcome: outcome.outcome === 'merged' ? 'merged' : 'applied',
    changed: false,
  }
}

export async function pushDeletion(write: PushedWrite<DeleteMutation>): Promise<WriteResult> {
  const { documents, plan, mutation, key, writer, origin } = write
  const { documentId } = mutation
  return attempt(async () => {
    const line = await readLine(write)
    const { stored, overwritten } = line
    if (stored === null) {
      if (isRuled(write.rules, plan, 'delete')) throw new NotFoundError('Not Found')
      return { outcome: 'applied', revision: null, changed: false }
    }
    await assertVisible(write, stored, 'delete')
    await assertMayReplace(write, line, { verb: 'delete' })
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
  readonly rows: readonly VersionDocument[]
}

async function readLine({ documents, plan, key, mutation }: AnyWrite): Promise<StoredLine> {
  const statuses: readonly Status[] = plan.draftAndPublish ? ['published', 'draft'] : ['published']
  const ids = statuses.map((status) => versionId(mutation.documentId, { ...key, status }))
  const rows = await findVersions(documents.database, plan, ids)
  const versions = rows.map((row) => asVersion(plan, row))
  const published = versions.find(({ status }) => status === 'published') ?? null
  const overwritten = versions.find(({ status }) => status === 'draft') ?? published
  return { stored: key.status === 'draft' ? overwritten : published, overwritten, published, rows }
}

/** Whether the caller may not see the draft that its mutation replaces. */
function mayHideDraft({ plan, key }: AnyWrite): boolean {
  return plan.draftAndPublish && key.status === 'published'
}

/** Called before the draft is compared, so that the refusal of a caller does not depend on it. @throws ForbiddenError */
async function assertMayReplace(
  write: AnyWrite,
  { rows }: StoredLine,
  changed: Pick<RuledWrite, 'verb' | 'data'>,
): Promise<void> {
  if (!mayHideDraft(write)) return
  const { documents, plan, key, rules, writer, mutation } = write
  const { publishes } = changed.verb === 'update' ? publishing(write) : { publishes: false }
  const ruled = {
    ...changed,
    plan,
    documentId: mutation.documentId,
    locale: writer.locale,
    locales: [key.locale],
    publishes: publishes ? ('all' as const) : undefined,
  }
  await underRules(documents, rules, ruled, async ({ guard }) => {
    for (const row of rows) await guard?.before({ plan, row, session: undefined })
  })
}

function isDraftModified(write: AnyWrite, { overwritten, published }: StoredLine): boolean {
  const { plan } = write
  if (!mayHideDraft(write)) return false
  if (overwritten === null || published === null) return false
  return !haveSameContent(plan, overwritten, published)
}

/** A mutation of a missing version creates it, if its locale is new. The write refuses hidden versions. */
async function updateMissing(
  write: PushedWrite<UpdateMutation>,
  line: StoredLine,
): Promise<WriteResult> {
  const { plan, mutation, base, attributes } = write
  const { patch, seen } = mutation
  const mayCreate = plan.localized || plan.kind === 'singleType'
  if (base === null && mayCreate && (await isUnseen(write, line))) {
    const merged = mergePatch(attributes, { patch, seen, current: {}, isBase: true })
    if (await storeMissing(write, merged)) return null
  }
  if (isRuled(write.rules, plan, 'update')) throw new NotFoundError('Not Found')
  return conflictWith(write, 'document_deleted', null, patchedOf(write, patch))
}

async function seenVersion(write: AnyWrite, { stored }: StoredLine): Promise<StoredVersion | null> {
  return stored !== null && (await isVisible(write, stored, 'update')) ? stored : null
}

async function isUnseen(write: AnyWrite, { published, overwritten }: StoredLine): Promise<boolean> {
  for (const version of [published, overwritten]) {
    if (version !== null && (await isVisible(write, version, 'update'))) return false
  }
  return true
}

/** False if the document is missing. */
async function storeMissing(
  write: PushedWrite<UpdateMutation>,
  merged: MergedPatch,
): Promise<boolean> {
  try {
    const replaced = { condition: { match: null, noneMatch: '*' } } as const
    await store(write, merged, { replaced, stored: null, isBase: true })
    return true
  } catch (error) {
    if (error instanceof NotFoundError) return false
    throw error
  }
}

interface Replaced {
  /** The check of the replaced version. */
  readonly replaced: Pick<WriteRequest, 'condition' | 'seen'>
  readonly stored: StoredVersion | null
  /** Whether the stored version is the base of the patch. */
  readonly isBase: boolean
}

async function store(
  write: PushedWrite<UpdateMutation>,
  merged: MergedPatch,
  { replaced, stored, isBase }: Replaced,
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
  const target = { ...writing, ...replaced, after }
  await updateDocument(documents, target, merged.payload)
}

class EntryReplaced extends Error {
  constructor() {
    super('Another writer replaced the version')
    this.name = 'EntryReplaced'
  }
}

const LOST = [PreconditionFailedError, PreviousChanged, EntryReplaced] as const

/** Merges again while other writers change the entry. @throws PreconditionFailedError after some attempts */
async function attempt(work: () => Promise<WriteResult>): Promise<WriteResult> {
  for (let count = 1; ; count += 1) {
    try {
      return await work()
    } catch (error) {
      if (!LOST.some((lost) => error instanceof lost)) throw error
      if (count === ATTEMPTS) throw new PreconditionFailedError('The entry keeps changing', null)
    }
  }
}

/** The write of the version itself can compare it, without a lock before. */
function replacing(
  { draftAndPublish }: ContentTypePlan,
  version: StoredVersion,
): Replaced['replaced'] {
  const isWritten = version.status === (draftAndPublish ? 'draft' : 'published')
  return isWritten ? { seen: version } : { condition: matching(version) }
}

function matching(version: StoredVersion): WriteCondition {
  return { match: new Set([revisionOf(version)]), noneMatch: null }
}
