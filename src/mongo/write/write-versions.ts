import type { Document } from 'mongodb'
import type { Status, VersionKey } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database, Session } from '../connection/database.ts'
import { insertTogether } from '../connection/write-commands.ts'
import { assertNotHeld } from './hold-documents.ts'
import { reserving } from './reservations.ts'
import { commitIdOf } from '../connection/commit-record.ts'
import {
  STATE_ALONE,
  type StoredState,
  STATE_SAME,
  STATE_FIELD,
  STATE_UNKNOWN,
} from '../versions/stored-state.ts'
import { COMMIT, LOCK, newRevision, REVISION } from '../versions/revision.ts'
import { noteChanged, notePut } from './note-versions.ts'
import { toBson } from '../versions/stored-value.ts'
import {
  asVersion,
  type StoredVersion,
  type VersionDocument,
  versionsOf,
} from '../versions/stored-version.ts'
import { unlessTaken, type Written } from './unless-taken.ts'
import { matchDocument, versionId } from '../versions/version-match.ts'
import { takeDocuments, takeValues } from './take-turns.ts'
import { batchOf, type VersionUpdate } from './version-batch.ts'
import { optionsOf } from '../connection/commands.ts'

/**
 * Inserts new versions. Set `isBeside` if another version of the locale may already be stored.
 * @throws ValidationError if a unique value is taken
 */
export async function insertVersions(
  database: Database,
  plan: ContentTypePlan,
  versions: readonly StoredVersion[],
  session: Session,
  { isBeside = false }: { readonly isBeside?: boolean } = {},
): Promise<void> {
  if (versions.length === 0) return
  const published = versions.filter(({ status }) => status === 'published')
  const documentIds = published.map(({ documentId }) => documentId)
  for (const version of published) takeValues(plan, { ...version, values: version }, session)
  const states = isBeside ? STATE_UNKNOWN : statesOfNew(versions)
  const rows = toRows(versions, commitIdOf(session), states)
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
}

/** Converts new versions to rows of the given commit. */
export function toRows(
  versions: readonly StoredVersion[],
  commit: string,
  state: StoredState | ((version: StoredVersion) => StoredState) = STATE_UNKNOWN,
): readonly (StoredVersion & VersionDocument)[] {
  const stateOf = typeof state === 'function' ? state : () => state
  return versions.map((version) => ({
    ...(toNewDocument(version, stateOf(version)) as StoredVersion),
    [COMMIT]: commit,
    _id: versionId(version.documentId, version),
  }))
}

/**
 * The states of versions in new locales. A draft and its copy with the same revision have the state
 * SAME.
 */
function statesOfNew(versions: readonly StoredVersion[]): (of: StoredVersion) => StoredState {
  const stored = new Map(versions.map((each) => [versionId(each.documentId, each), each]))
  return ({ documentId, locale, status, [REVISION]: revision }) => {
    const isDraft = status === 'draft'
    const other = stored.get(
      versionId(documentId, { locale, status: isDraft ? 'published' : 'draft' }),
    )
    if (other === undefined) return isDraft ? STATE_ALONE : STATE_UNKNOWN
    return revision !== undefined && revision === other[REVISION] ? STATE_SAME : STATE_UNKNOWN
  }
}

interface PatchedVersion {
  readonly documentId: string
  readonly key: VersionKey
  /** SAME for a draft that the same transaction publishes. */
  readonly state?: typeof STATE_SAME | undefined
}

/**
 * Changes the given attributes of a version and returns the whole version. Returns null if the
 * version does not exist.
 * @throws ValidationError if a unique value is taken
 */
export function patchVersion(
  database: Database,
  plan: ContentTypePlan,
  { documentId, key, state }: PatchedVersion,
  changes: Data,
  session: Session,
): Promise<StoredVersion | null> {
  const written = { documentId, locale: key.locale, values: changes }
  const change = { ...written, status: key.status, set: toChanges(changes, state) }
  return changeVersion(database, plan, change, session)
}

interface VersionChange extends Written {
  readonly status: Status
  /** The stored form of `values`, with revision and state. */
  readonly set: Document
  /** The further members of a version that does not exist yet. Without them it is not created. */
  readonly insert?: Data
}

async function changeVersion(
  database: Database,
  plan: ContentTypePlan,
  change: VersionChange,
  session: Session,
): Promise<StoredVersion | null> {
  const { documentId, status, set, insert } = change
  takeDocuments(plan, [documentId], session)
  takeValues(plan, change, session)
  const _id = versionId(documentId, change)
  const update = toUpdate(set, commitIdOf(session))
  const send = (): Promise<VersionDocument | null> =>
    versionsOf(database, plan).findOneAndUpdate(
      { _id },
      { ...update, ...(insert !== undefined && { $setOnInsert: insert }) },
      { ...optionsOf(database, session), upsert: insert !== undefined, returnDocument: 'after' },
    )
  const batch = batchOf(session)
  const changed =
    batch === null
      ? await reserving(database, plan, status === 'published' ? [documentId] : [], session, () =>
          unlessTaken(database, plan, [change], send),
        )
      : batch.update(_id, update)
  if (changed === null) return null
  assertNotHeld(changed[LOCK])
  notePut(plan, [asVersion(changed)], session)
  return asVersion(changed)
}

/**
 * Blocks other writers of a version until the transaction ends. Returns false if the version was
 * deleted or its revision differs from `expected`. Null accepts any revision.
 */
export async function claimVersion(
  database: Database,
  plan: ContentTypePlan,
  version: StoredVersion,
  expected: Pick<StoredVersion, typeof REVISION> | null,
  session: Session,
): Promise<boolean> {
  takeDocuments(plan, [version.documentId], session)
  const unchanged = expected === null ? {} : { [REVISION]: expected[REVISION] ?? null }
  const { matchedCount } = await versionsOf(database, plan).updateOne(
    { _id: versionId(version.documentId, version), ...unchanged },
    { $set: toChanges({}) },
    optionsOf(database, session),
  )
  return matchedCount === 1
}

/**
 * Replaces or creates a version and returns it. `id` and `createdAt` only apply to a new version. A
 * copy of another version has the same revision. Its `state` is SAME if it copies the other version
 * of the locale.
 * @throws ValidationError if a unique value is taken
 */
export async function putVersion(
  database: Database,
  plan: ContentTypePlan,
  version: StoredVersion,
  session: Session,
  state: StoredState = STATE_UNKNOWN,
): Promise<StoredVersion> {
  const { _id, id, createdAt, [COMMIT]: _before, ...rest } = version
  const { documentId, locale, status } = version
  const set = toNewDocument(rest, state)
  const change = { documentId, locale, status, values: version, set, insert: { id, createdAt } }
  const stored = await changeVersion(database, plan, change, session)
  if (stored === null) throw new Error(`${plan.uid}: an upsert left nothing`)
  return stored
}

/**
 * Sets shared attributes in the other locales of a document, in versions of the same status.
 * Versions that already have the values do not change.
 * @throws ValidationError if a unique value is taken in one of the locales
 */
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
  const filter = { ...among, locale: { $ne: locale }, $expr: differsFrom(toDocument(shared)) }
  const change = { filter, among, set: toDocument({ ...shared, updatedAt }) }
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
  const revision = newRevision()
  const update = toUpdate({ ...set, [REVISION]: revision }, commitIdOf(session))
  const { modifiedCount: count } = await versionsOf(database, plan).updateMany(
    filter,
    { ...operators, ...update },
    optionsOf(database, session),
  )
  await noteChanged(database, plan, { which: among, revision, count }, session)
}

/** Compares whole values. `$ne` in a query would compare the elements of a list. */
function differsFrom(values: Data): Document {
  const differences = Object.entries(values).map(([name, value]) => ({
    $ne: [`$${name}`, { $literal: value }],
  }))
  return { $or: differences }
}

/** The members to set in an existing version, including a new revision. */
function toChanges(changes: Data, state?: StoredState): Document {
  const known = state === undefined ? {} : { [STATE_FIELD]: state }
  return { ...toDocument(changes), [REVISION]: newRevision(), ...known }
}

/** The update operators of a content write. The state becomes unknown unless the changes set it. */
function toUpdate(changes: Document, commit: string): VersionUpdate {
  const state = STATE_FIELD in changes ? {} : { [STATE_FIELD]: STATE_UNKNOWN }
  return { $set: changes, $max: { [COMMIT]: commit, ...state } }
}

/** Keeps the revision of a copied version. */
function toNewDocument(version: Data, state: StoredState): Document {
  const revision = version[REVISION] ?? newRevision()
  return { ...toDocument(version), [REVISION]: revision, [STATE_FIELD]: state }
}

function toDocument(values: Data): Document {
  return toBson(values) as Document // an object stays an object
}
