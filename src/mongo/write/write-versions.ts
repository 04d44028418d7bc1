import type { Document } from 'mongodb'
import type { Status, VersionKey } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database, Session } from '../connection/database.ts'
import { insertTogether } from '../connection/write-commands.ts'
import { assertNotHeld } from './hold-documents.ts'
import { reserving } from './reservations.ts'
import { guardAdded, guardVersion, guardVersions } from './row-guard.ts'
import { commitIdOf } from '../connection/commit-record.ts'
import {
  COMMIT,
  LOCK,
  newRevision,
  REVISION,
  STATE_ALONE,
  STATE_FIELD,
  STATE_SAME,
  STATE_UNKNOWN,
  type StoredState,
} from '../versions/version-fields.ts'
import { insertAdopted, isAdoptedUnchanged, patchAdopted } from './adopted-versions.ts'
import { carryBefore, stateOfCopy } from './carried-members.ts'
import { noteChanged, notePut } from './note-versions.ts'
import { isAdopted } from '../versions/adopted-expression.ts'
import { isLinkIndex, linkIndexOf } from '../versions/link-index.ts'
import { toBson } from '../versions/stored-value.ts'
import { toStoredNames } from '../versions/row-names.ts'
import {
  asRow,
  asVersion,
  type StoredVersion,
  type VersionDocument,
  type VersionRow,
  versionsOf,
} from '../versions/stored-version.ts'
import { matchDocument, versionId } from '../versions/version-match.ts'
import { takeDocuments } from '../sharing/write-turns.ts'
import { updaterOf, withAuthors } from './version-authors.ts'
import { batchOf, type VersionUpdate } from './version-batch.ts'
import { takeValues, unlessTaken, type Written } from './unique-values.ts'

/**
 * Returns the versions as they are stored. Set `isBeside` if the locale may have another version. Such copies keep
 * their authors, and all other versions get the author of the commit. @throws ValidationError if a unique value is taken
 */
export async function insertVersions(
  database: Database,
  plan: ContentTypePlan,
  versions: readonly StoredVersion[],
  session: Session,
  { isBeside = false }: { readonly isBeside?: boolean } = {},
): Promise<readonly StoredVersion[]> {
  if (versions.length === 0) return []
  if (isAdopted(plan)) return insertAdopted(database, plan, versions, session)
  const published = versions.filter(({ status }) => status === 'published')
  const documentIds = published.map(({ documentId }) => documentId)
  for (const version of published) takeValues(plan, { ...version, values: version }, session)
  const states = isBeside ? STATE_UNKNOWN : statesOfNew(versions)
  const authored = isBeside ? versions : withAuthors(versions, session)
  const rows = toRows(plan, authored, commitIdOf(session), states)
  await guardAdded(plan, rows, session)
  const batch = batchOf(session)
  if (batch === null) {
    const written = published.map((version) => ({ ...version, values: version }))
    await reserving(database, plan, documentIds, session, () =>
      unlessTaken(database, plan, written, () =>
        insertTogether(database, plan.collectionName, rows, session),
      ),
    )
  } else {
    batch.insert(rows)
  }
  notePut(plan, rows, session, { isNew: true })
  return versions
}

export function toRows(
  plan: ContentTypePlan,
  versions: readonly StoredVersion[],
  commit: string,
  state: StoredState | ((version: StoredVersion) => StoredState) = STATE_UNKNOWN,
): readonly VersionRow[] {
  const stateOf = typeof state === 'function' ? state : () => state
  return versions.map((version) =>
    asRow({
      ...toNewDocument(plan, version, stateOf(version)),
      [COMMIT]: commit,
      _id: versionId(version.documentId, version),
    }),
  )
}

/** The states of versions in new locales. A draft and its copy with the same revision have the state SAME. */
function statesOfNew(versions: readonly StoredVersion[]): (of: StoredVersion) => StoredState {
  const stored = new Map(versions.map((each) => [versionId(each.documentId, each), each]))
  return ({ documentId, locale, status, [REVISION]: revision }) => {
    const isDraft = status === 'draft'
    const key = { locale, status: isDraft ? 'published' : 'draft' } as const
    const other = stored.get(versionId(documentId, key))
    if (other === undefined) return isDraft ? STATE_ALONE : STATE_UNKNOWN
    return revision !== undefined && revision === other[REVISION] ? STATE_SAME : STATE_UNKNOWN
  }
}

interface PatchedVersion {
  readonly documentId: string
  readonly key: VersionKey
  /** SAME for a draft that the same transaction publishes. */
  readonly state?: typeof STATE_SAME | undefined
  /** The version is not changed if its revision differs. Null accepts any revision. */
  readonly expected?: Pick<StoredVersion, typeof REVISION | 'updatedAt'> | null
}

/** Returns the whole version, or null if it does not exist or has another revision. @throws ValidationError */
export function patchVersion(
  database: Database,
  plan: ContentTypePlan,
  { documentId, key, state, expected = null }: PatchedVersion,
  changes: Data,
  session: Session,
): Promise<StoredVersion | null> {
  if (isAdopted(plan)) {
    return patchAdopted(database, plan, { documentId, expected }, changes, session)
  }
  const set = toChanges(plan, { ...changes, ...updaterOf(changes, session) }, state)
  const change = { documentId, ...key, values: changes, set, expected }
  return changeVersion(database, plan, change, session)
}

interface VersionChange extends Written {
  readonly status: Status
  /** The stored form of `values`, with revision and state. */
  readonly set: Document
  /** The further members of a version that does not exist yet. Without them it is not created. */
  readonly insert?: Data
  readonly expected?: PatchedVersion['expected']
}

async function changeVersion(
  database: Database,
  plan: ContentTypePlan,
  change: VersionChange,
  session: Session,
): Promise<StoredVersion | null> {
  const { documentId, status, set, insert, expected = null } = change
  takeDocuments(plan, [documentId], session)
  takeValues(plan, change, session)
  const _id = versionId(documentId, change)
  await guardVersion(database, plan, _id, session)
  const update = toUpdate(set, commitIdOf(session))
  const unchanged = expected === null ? {} : { [REVISION]: expected[REVISION] ?? null }
  const send = (): Promise<VersionDocument | null> =>
    versionsOf(database, plan).findOneAndUpdate(
      { _id, ...unchanged },
      { ...update, ...(insert !== undefined && { $setOnInsert: insert }) },
      { session, upsert: insert !== undefined, returnDocument: 'after' },
    )
  const batch = batchOf(session)
  const before =
    batch === null
      ? await carryBefore(database, plan, { _id }, session)
      : stateOfCopy(plan, batch.stored(_id))
  const changed =
    batch === null
      ? await reserving(database, plan, status === 'published' ? [documentId] : [], session, () =>
          unlessTaken(database, plan, [change], send),
        )
      : batch.update(_id, update, expected)
  if (changed === null) return null
  assertNotHeld(changed[LOCK])
  notePut(plan, [asRow(changed)], session, { before })
  return asVersion(plan, changed)
}

/** Locks a version until the transaction ends. False if it was deleted or its revision is not `expected`. */
export async function claimVersion(
  database: Database,
  plan: ContentTypePlan,
  version: StoredVersion,
  expected: Pick<StoredVersion, typeof REVISION | 'updatedAt'> | null,
  session: Session,
): Promise<boolean> {
  takeDocuments(plan, [version.documentId], session)
  if (isAdopted(plan)) {
    return isAdoptedUnchanged(database, plan, version.documentId, expected, session)
  }
  const unchanged = expected === null ? {} : { [REVISION]: expected[REVISION] ?? null }
  const { matchedCount } = await versionsOf(database, plan).updateOne(
    { _id: versionId(version.documentId, version), ...unchanged },
    { $set: toChanges(plan, {}) },
    { session },
  )
  return matchedCount === 1
}

/**
 * `id`, `createdAt` and `createdBy` only apply to a new version. A copy has the revision of its source, and the state
 * SAME if that is the other version of the locale. @throws ValidationError
 */
export async function putVersion(
  database: Database,
  plan: ContentTypePlan,
  version: StoredVersion,
  session: Session,
  state: StoredState = STATE_UNKNOWN,
): Promise<StoredVersion> {
  const { _id, id, createdAt, createdBy = null, [COMMIT]: _before, ...rest } = version
  const { documentId, locale, status, updatedBy = null } = version
  const set = toNewDocument(plan, { ...rest, updatedBy }, state)
  const insert = { id, createdAt, createdBy }
  const change = { documentId, locale, status, values: version, set, insert }
  const stored = await changeVersion(database, plan, change, session)
  if (stored === null) throw new Error(`${plan.uid}: an upsert left nothing`)
  return stored
}

/** Sets shared attributes in the other locales, in versions of the same status. @throws ValidationError */
export async function setInOtherLocales(
  database: Database,
  plan: ContentTypePlan,
  { documentId, locale, status, updatedAt }: StoredVersion,
  shared: Data,
  session: Session,
): Promise<void> {
  if (Object.keys(shared).length === 0) return
  takeDocuments(plan, [documentId], session)
  const documentIds = status === 'published' ? [documentId] : []
  const among = { ...matchDocument(documentId), status }
  const set = toDocument(plan, shared)
  const filter = { ...among, locale: { $ne: locale }, $expr: differsFrom(set) }
  const change = { filter, among, set: { ...set, updatedAt } }
  await reserving(database, plan, documentIds, session, () =>
    unlessTaken(database, plan, [{ documentId, locale, values: shared }], () =>
      changeVersions(database, plan, change, session),
    ),
  )
}

export interface CommonChange {
  readonly filter: Document
  /** A selective filter that matches the changed versions before and after the change. */
  readonly among: Document
  /** With stored names. */
  readonly set: Document
  readonly operators?: Document
}

/** Makes one change to many versions, which then share a revision. */
export async function changeVersions(
  database: Database,
  plan: ContentTypePlan,
  { filter, among, set, operators = {} }: CommonChange,
  session: Session,
): Promise<void> {
  await guardVersions(database, plan, filter, session)
  const before = await carryBefore(database, plan, filter, session)
  const revision = newRevision()
  const changed = { ...set, ...updaterOf(set, session), [REVISION]: revision }
  const update = { ...operators, ...toUpdate(changed, commitIdOf(session)) }
  const versions = versionsOf(database, plan)
  const { modifiedCount: count } = await versions.updateMany(filter, update, { session })
  await noteChanged(database, plan, { which: among, revision, count, before }, session)
}

/** Compares whole values. `$ne` in a query would compare the elements of a list. */
function differsFrom(values: Data): Document {
  const names = Object.keys(values).filter((name) => !isLinkIndex(name))
  return { $or: names.map((name) => ({ $ne: [`$${name}`, { $literal: values[name] }] })) }
}

function toChanges(plan: ContentTypePlan, changes: Data, state?: StoredState): Document {
  const known = state === undefined ? {} : { [STATE_FIELD]: state }
  return { ...toDocument(plan, changes), [REVISION]: newRevision(), ...known }
}

/** The update operators of a content write. The state becomes unknown unless the changes set it. */
function toUpdate(changes: Document, commit: string): VersionUpdate {
  const state = STATE_FIELD in changes ? {} : { [STATE_FIELD]: STATE_UNKNOWN }
  return { $set: changes, $max: { [COMMIT]: commit, ...state } }
}

/** Keeps the revision of a copied version. */
function toNewDocument(plan: ContentTypePlan, version: Data, state: StoredState): Document {
  const revision = version[REVISION] ?? newRevision()
  return { ...toDocument(plan, version), [REVISION]: revision, [STATE_FIELD]: state }
}

function toDocument(plan: ContentTypePlan, values: Data): Document {
  const row = toBson(toStoredNames(plan, values)) as Document // an object stays an object
  return { ...row, ...linkIndexOf(plan, values) }
}
