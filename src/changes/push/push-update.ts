import { NotFoundError, ValidationError } from '../../base/errors.ts'
import { hooksOf } from '../../content/hooks/document-hooks.ts'
import { holdsAlready } from '../../content/rules/holds-already.ts'
import { prepareUpdate, updateDocument } from '../../content/write/update-document.ts'
import type { AfterWrite, WriteRequest } from '../../content/write-target.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { revisionOf } from '../../mongo/versions/version-fields.ts'
import { contentAction } from '../../people/access/actions.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { type MergedPatch, mergePatch } from './merge-patch.ts'
import { type ConflictSides, pickConflict } from './push-conflict.ts'
import type { UpdateMutation } from './push-request.ts'
import { isRuled, rowValues } from './pushed-type.ts'
import {
  type AnyWrite,
  conflictWith,
  isVisible,
  patchedOf,
  type PreparedPush,
  publishing,
  type PushedWrite,
  settled,
  type SettledOutcome,
  type SettlingWrite,
  type Unchanged,
  unknownAttributes,
  type WriteResult,
} from './pushed-write.ts'
import {
  assertMayReplace,
  attempt,
  EntryReplaced,
  isDraftModified,
  matching,
  readLine,
  type StoredLine,
} from './stored-line.ts'

type Update = PushedWrite<UpdateMutation>
type Settling = SettlingWrite<UpdateMutation>

export async function pushUpdate(write: Settling): Promise<WriteResult> {
  return attempt(async () => {
    const planned = await planUpdate(write)
    if ('result' in planned) return planned.result
    if ('missing' in planned) return updateMissing(write, planned.missing)
    try {
      await store(write, planned)
      return null
    } catch (error) {
      const { merged, clash } = planned
      if (!(error instanceof ValidationError) || merged.merged.length === 0) throw error
      const names = [...write.mutation.patch.keys()]
      return { ...pickConflict('invalid_after_merge', names, clash), error }
    }
  })
}

/** Null if the update needs a transaction of its own, or writes nothing. @throws CmsError */
export async function preparePushedUpdate(write: Update): Promise<PreparedPush | null> {
  const { documents, plan } = write
  // A hook runs once for each update that is tried.
  if (hooksOf(documents, plan) !== null) return null
  const planned = await planUpdate(write)
  if (!('merged' in planned)) return null
  const target = targetOf(write, planned)
  const { item, isShareable } = await prepareUpdate(documents, target, planned.merged.payload)
  return isShareable ? { item, outcomeOf: (version) => outcomeOf(planned, version) } : null
}

interface ComparedWrite extends PlannedWrite {
  readonly clash: ConflictSides
}

type PlannedUpdate =
  { readonly result: Exclude<WriteResult, null> } | { readonly missing: StoredLine } | ComparedWrite

/** @throws NotFoundError, ForbiddenError */
async function planUpdate(write: Update): Promise<PlannedUpdate> {
  const { plan, mutation } = write
  const { patch, seen } = mutation
  const fault = unknownAttributes(write, patch, seen)
  if (fault !== null) return { result: fault }
  const line = await readLine(write)
  const stored = await seenVersion(write, line)
  if (stored === null) return { missing: line }
  await assertMayReplace(write, line, { verb: 'update', data: Object.fromEntries(patch) })
  const patched = patchedOf(write, patch)
  if (isDraftModified(write, line)) {
    return { result: await conflictWith(write, 'draft_modified', stored, patched) }
  }
  const theirs = await rowValues(write, plan, patched, stored)
  const current = plan.validators.withoutAliases(theirs)
  const isBase = write.base === revisionOf(stored)
  const merged = mergePatch(write.attributes, { patch, seen, current, isBase })
  const clash = { base: seen, mine: merged.mine, theirs, revision: revisionOf(stored) }
  if (merged.conflicts.length > 0) {
    return { result: pickConflict('attribute_conflict', merged.conflicts, clash) }
  }
  if (await isWithoutEffect(write, merged, stored)) {
    return { result: unchanged(settled(merged, stored, isBase)) }
  }
  const replaced = replacing(plan, line.overwritten ?? stored)
  return { merged, replaced, stored, isBase, clash }
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

/** A mutation of a missing version creates it, if its locale is new. The write refuses hidden versions. */
async function updateMissing(write: Settling, line: StoredLine): Promise<WriteResult> {
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
async function storeMissing(write: Settling, merged: MergedPatch): Promise<boolean> {
  try {
    const replaced = { condition: { match: null, noneMatch: '*' } } as const
    await store(write, { merged, replaced, stored: null, isBase: true })
    return true
  } catch (error) {
    if (error instanceof NotFoundError) return false
    throw error
  }
}

interface PlannedWrite {
  readonly merged: MergedPatch
  /** The check of the replaced version. */
  readonly replaced: Pick<WriteRequest, 'condition' | 'seen'>
  readonly stored: StoredVersion | null
  /** Whether the stored version is the base of the patch. */
  readonly isBase: boolean
}

async function store(write: Settling, planned: PlannedWrite): Promise<void> {
  const after: AfterWrite = (version, session) => write.settle(outcomeOf(planned, version), session)
  const target = { ...targetOf(write, planned), after }
  await updateDocument(write.documents, target, planned.merged.payload)
}

function targetOf(write: Update, { replaced }: Pick<PlannedWrite, 'replaced'>): WriteRequest {
  const { plan, key, writer, origin, mutation } = write
  const { documentId } = mutation
  return { plan, documentId, key, writer, origin, ...publishing(write), ...replaced }
}

/** @throws EntryReplaced if another writer unpublished the entry, which this write would publish again */
function outcomeOf(
  { merged, stored, isBase }: PlannedWrite,
  version: StoredVersion | null,
): SettledOutcome {
  if (version === null) throw new Error('an update has a version')
  if (stored !== null && version.id !== stored.id) throw new EntryReplaced()
  return settled(merged, version, isBase)
}

/** The write of the version itself can compare it, without a lock before. */
function replacing(
  { draftAndPublish }: ContentTypePlan,
  version: StoredVersion,
): PlannedWrite['replaced'] {
  const isWritten = version.status === (draftAndPublish ? 'draft' : 'published')
  return isWritten ? { seen: version } : { condition: matching(version) }
}
