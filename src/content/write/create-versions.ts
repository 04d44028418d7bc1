import type { Session } from '../../mongo/connection/database.ts'
import { newRevision } from '../../mongo/versions/version-fields.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { claimMadeUids } from '../../mongo/write/claim-made-uids.ts'
import { reservedAttributes } from '../../mongo/write/reservations.ts'
import { insertVersions } from '../../mongo/write/write-versions.ts'
import type { Status, VersionKey } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { DocumentContext } from '../context.ts'
import { toPayload } from '../payload/shared-values.ts'
import {
  completeValues,
  exclusiveChanges,
  inverseChanges,
  type PreparedValues,
  prepareValues,
  unsetValues,
} from '../payload/write-values.ts'
import { fillUids, missingUids } from '../payload/fill-uids.ts'
import { refuseUnreviewed } from '../review/stage-of.ts'
import type { WriteTarget } from '../write-target.ts'
import { assertFree, writeRelations } from './version-steps.ts'

export function isInsertedOnly(plan: ContentTypePlan, prepared: PreparedValues): boolean {
  const { changes } = prepared
  return (
    writesVersionsOnly(plan) &&
    claimedUids(plan, prepared).length === 0 &&
    inverseChanges(plan, changes).length === 0 &&
    exclusiveChanges(plan, changes).length === 0
  )
}

/** Indexes keep the uids of published versions unique, but not those of drafts. */
function claimedUids(
  { draftAndPublish }: ContentTypePlan,
  { madeUids = [] }: PreparedValues,
): readonly string[] {
  return draftAndPublish ? madeUids : []
}

/** Whether a write stores own versions only. Indexes then enforce the unique values, without reservations. */
export function writesVersionsOnly(plan: ContentTypePlan): boolean {
  return !plan.sharded && plan.adopted === undefined && reservedAttributes(plan).length === 0
}

export async function prepareNew(
  context: DocumentContext,
  target: WriteTarget,
  data: unknown,
  session?: Session,
): Promise<PreparedValues> {
  const owner = { plan: target.plan, locale: target.key.locale }
  const which = target.filledUids ?? 'required'
  const filled = await fillUids(context.database, owner, data, { which, session })
  const payload = parseNew(target, filled, { isTrusted: false })
  const prepared = await prepareValues(context, target, payload, { creating: true })
  const made = missingUids(target.plan, data, which).map(({ attribute }) => attribute.name)
  return { ...prepared, madeUids: made }
}

/** Stored content stays unchanged, including component ids. */
export function prepareNext(
  context: DocumentContext,
  target: WriteTarget,
  data: Data,
  initial: Data,
): Promise<PreparedValues> {
  // The values of the client are already validated, and the stored ones may include attributes that it cannot write.
  const payload = { ...toPayload(target.plan, initial), ...data }
  const values = parseNew(target, payload, { isTrusted: true })
  const held = Object.keys(initial).filter((name) => data[name] === undefined)
  for (const name of held) delete values[name]
  return prepareValues(context, target, values, { creating: true })
}

function parseNew(
  { plan: { validators, draftAndPublish } }: WriteTarget,
  data: unknown,
  { isTrusted }: { readonly isTrusted: boolean },
): Data {
  const parse = draftAndPublish ? validators.draft : validators.direct
  return parse(data, { creating: true, isTrusted })
}

export async function createVersions(
  context: DocumentContext,
  target: WriteTarget,
  prepared: PreparedValues,
  session: Session,
  initial: Data = {},
): Promise<StoredVersion> {
  const versions = await newVersions(context, target, prepared, initial)
  return storeNew(context, target, { versions, prepared }, session)
}

type NewVersions = readonly [StoredVersion, ...StoredVersion[]]

interface NewDocument {
  readonly versions: NewVersions
  readonly prepared: PreparedValues
}

export async function storeNew(
  context: DocumentContext,
  target: WriteTarget,
  { versions, prepared }: NewDocument,
  session: Session,
): Promise<StoredVersion> {
  const [asked] = versions
  if (asked.status === 'published') await assertFree(context, target, asked, session)
  const claimed = claimedUids(target.plan, prepared)
  if (claimed.length > 0) {
    await claimMadeUids(context.database, target.plan, asked, claimed, session)
  }
  const stored = await insertVersions(context.database, target.plan, versions, session)
  const sides = { changes: prepared.changes, isCopy: false }
  // The draft comes first, as in an update, because a position may refer to a member of the draft only.
  const written = [...stored.slice(1), ...stored.slice(0, 1)]
  const related = await writeRelations(context, target, written, sides, session)
  return related.at(-1) ?? asked
}

/** Returns the requested version first. @throws ValidationError if the content cannot be published */
export function newVersions(
  context: DocumentContext,
  target: WriteTarget,
  prepared: PreparedValues,
  initial: Data = {},
): Promise<NewVersions> {
  return toVersions(context, target, newValues(target, prepared, initial))
}

function newValues({ plan, key }: WriteTarget, prepared: PreparedValues, initial: Data): Data {
  const values = completeValues(plan, prepared, null, initial)
  const all = { ...unsetValues(plan), ...initial, ...values }
  if (hasTwoVersions(plan, key)) {
    refuseUnreviewed(plan)
    plan.validators.publishable(all)
  }
  return all
}

async function toVersions(
  context: DocumentContext,
  { plan, documentId, key }: WriteTarget,
  all: Data,
): Promise<NewVersions> {
  const statuses: readonly [Status, ...Status[]] = hasTwoVersions(plan, key)
    ? ['published', 'draft']
    : [key.status]
  const isManaged = plan.adopted === undefined
  const ids = isManaged ? await context.ids.take(plan.collectionName, statuses.length) : []
  const now = context.now()
  const _revision = newRevision()
  const toVersion = (status: Status, index: number): StoredVersion => ({
    ...all,
    id: ids[index] ?? 0,
    documentId,
    locale: key.locale,
    status,
    createdAt: now,
    updatedAt: now,
    publishedAt: status === 'published' ? now : null,
    _revision,
  })
  const others = statuses.slice(1).map((status, index) => toVersion(status, index + 1))
  return [toVersion(statuses[0], 0), ...others]
}

function hasTwoVersions(plan: ContentTypePlan, key: VersionKey): boolean {
  return plan.draftAndPublish && key.status === 'published'
}
