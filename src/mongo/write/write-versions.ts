import { type Document, MongoBulkWriteError } from 'mongodb'
import { validationError } from '../../base/errors.ts'
import type { VersionKey } from '../../query/query.ts'
import type { Data } from '../../schema/definition.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { asCmsErrors } from '../connection/database-error.ts'
import type { Database, Session } from '../connection/database.ts'
import { insertTogether } from '../connection/insert-together.ts'
import { BULK_TIMEOUT_MS, findStoredVersionIds } from '../read/read-versions.ts'
import { assertNotHeld } from './hold-documents.ts'
import { reservedAttributes, reserving } from './reservations.ts'
import { commitIdOf } from '../connection/commit-record.ts'
import {
  STATE_ALONE,
  type StoredState,
  STATE_SAME,
  STATE_FIELD,
  STATE_UNKNOWN,
} from '../versions/stored-state.ts'
import { COMMIT, LOCK, newRevision, REVISION } from '../versions/revision.ts'
import { recordBulk } from '../commits/bulk-intents.ts'
import { itemOf, noteChanged, notePut } from './note-versions.ts'
import { toBson } from '../versions/stored-value.ts'
import {
  asVersion,
  type StoredVersion,
  type VersionDocument,
  versionsOf,
} from '../versions/stored-version.ts'
import { findTaken } from './unique-values.ts'
import { unlessTaken } from './unless-taken.ts'
import { matchDocument, versionId } from '../versions/version-match.ts'
import { takeDocuments, takeValues } from './take-turns.ts'
import { optionsOf, inSession } from '../connection/commands.ts'

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
  await reserving(database, plan, documentIds, session, () =>
    inSession(session, async () => {
      const written = published.map((version) => ({ ...version, values: version }))
      await unlessTaken(database, plan, written, () =>
        insertTogether(database, plan.collectionName, rows, session),
      )
    }),
  )
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
export function statesOfNew(
  versions: readonly StoredVersion[],
): (of: StoredVersion) => StoredState {
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

/**
 * Inserts many versions with one command that is not atomic, or with one transaction per document
 * if values must be reserved. Versions whose `_id` is already stored are skipped.
 * @throws ValidationError if a unique value is taken
 */
export async function addVersions(
  database: Database,
  plan: ContentTypePlan,
  versions: readonly StoredVersion[],
): Promise<void> {
  if (versions.length === 0) return
  if (reservedAttributes(plan).length > 0) {
    for (const documentId of new Set(versions.map((version) => version.documentId))) {
      const own = versions.filter((version) => version.documentId === documentId)
      await database.transact((session) =>
        insertVersions(database, plan, own, session, { isBeside: true }),
      )
    }
    return
  }
  const stamped = versions.map((version) => ({
    ...version,
    [REVISION]: version[REVISION] ?? newRevision(),
  }))
  const items = stamped.map((version) => itemOf(plan, version, { isNew: true }))
  await recordBulk(database, items, (commit) =>
    asCmsErrors(async () => {
      try {
        await versionsOf(database, plan).insertMany([...toRows(stamped, commit)], {
          ordered: false,
          maxTimeMS: BULK_TIMEOUT_MS,
        })
      } catch (error) {
        if (!(error instanceof MongoBulkWriteError)) throw error
        await passStored(database, plan, error, versions)
      }
    }),
  )
}

/**
 * Ignores rejected versions that are already stored. Driver 7.8 does not report which index
 * rejected a document, so they are looked up.
 */
async function passStored(
  database: Database,
  plan: ContentTypePlan,
  error: MongoBulkWriteError,
  versions: readonly StoredVersion[],
): Promise<void> {
  const refused = [error.writeErrors].flat().flatMap(({ index }) => versions[index] ?? [])
  const idOf = (version: StoredVersion): string => versionId(version.documentId, version)
  const stored = await findStoredVersionIds(database, plan, refused.map(idOf))
  const lost = refused.find((version) => !stored.has(idOf(version)))
  if (lost === undefined && refused.length > 0) return
  const [fault, ...others] =
    lost?.status === 'published' ? await findTaken(database, plan, lost, lost) : []
  throw fault === undefined ? error : validationError([fault, ...others], 'value_not_unique')
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
export async function patchVersion(
  database: Database,
  plan: ContentTypePlan,
  target: PatchedVersion,
  changes: Data,
  session: Session,
): Promise<StoredVersion | null> {
  takeDocuments(plan, [target.documentId], session)
  takeValues(plan, { ...target.key, values: changes }, session)
  const documentIds = target.key.status === 'published' ? [target.documentId] : []
  const patched = await reserving(database, plan, documentIds, session, () =>
    inSession(session, () =>
      unlessTaken(database, plan, [{ ...target, ...target.key, values: changes }], () =>
        versionsOf(database, plan).findOneAndUpdate(
          { _id: versionId(target.documentId, target.key) },
          toUpdate(toChanges(changes, target.state), commitIdOf(session)),
          { ...optionsOf(database, session), returnDocument: 'after' },
        ),
      ),
    ),
  )
  if (patched === null) return null
  assertNotHeld(patched[LOCK])
  notePut(plan, [asVersion(patched)], session)
  return asVersion(patched)
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
  const { matchedCount } = await inSession(session, () =>
    versionsOf(database, plan).updateOne(
      { _id: versionId(version.documentId, version), ...unchanged },
      { $set: toChanges({}) },
      optionsOf(database, session),
    ),
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
  takeDocuments(plan, [version.documentId], session)
  takeValues(plan, { ...version, values: version }, session)
  const { _id, id, createdAt, [COMMIT]: _before, ...rest } = version
  const documentIds = version.status === 'published' ? [version.documentId] : []
  const stored = await reserving(database, plan, documentIds, session, () =>
    inSession(session, () =>
      unlessTaken(database, plan, [{ ...version, values: version }], () =>
        versionsOf(database, plan).findOneAndUpdate(
          { _id: versionId(version.documentId, version) },
          {
            ...toUpdate(toNewDocument(rest, state), commitIdOf(session)),
            $setOnInsert: { id, createdAt },
          },
          { ...optionsOf(database, session), upsert: true, returnDocument: 'after' },
        ),
      ),
    ),
  )
  if (stored === null) throw new Error(`${plan.uid}: an upsert left nothing`)
  assertNotHeld(stored[LOCK])
  notePut(plan, [asVersion(stored)], session)
  return asVersion(stored)
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
  const which = { ...matchDocument(documentId), status }
  const revision = newRevision()
  const changes = { ...toDocument({ ...shared, updatedAt }), [REVISION]: revision }
  await reserving(database, plan, documentIds, session, () =>
    inSession(session, async () => {
      const { modifiedCount } = await unlessTaken(
        database,
        plan,
        [{ documentId, locale, values: shared }],
        () =>
          versionsOf(database, plan).updateMany(
            { ...which, locale: { $ne: locale }, $expr: differsFrom(toDocument(shared)) },
            toUpdate(changes, commitIdOf(session)),
            optionsOf(database, session),
          ),
      )
      const changed = { which, revision, count: modifiedCount }
      await noteChanged(database, plan, changed, session)
    }),
  )
}

/** Compares whole values. `$ne` in a query would compare the elements of a list. */
function differsFrom(values: Data): Document {
  const differences = Object.entries(values).map(([name, value]) => ({
    $ne: [`$${name}`, { $literal: value }],
  }))
  return { $or: differences }
}

/** The members to set in an existing version, including a new revision. */
export function toChanges(changes: Data, state?: StoredState): Document {
  const known = state === undefined ? {} : { [STATE_FIELD]: state }
  return { ...toDocument(changes), [REVISION]: newRevision(), ...known }
}

/** The update operators of a content write. The state becomes unknown unless the changes set it. */
export function toUpdate(changes: Document, commit: string): Document {
  const state = STATE_FIELD in changes ? {} : { [STATE_FIELD]: STATE_UNKNOWN }
  return { $set: changes, $max: { [COMMIT]: commit, ...state } }
}

/** Keeps the revision of a copied version. */
export function toNewDocument(version: Data, state: StoredState): Document {
  const revision = version[REVISION] ?? newRevision()
  return { ...toDocument(version), [REVISION]: revision, [STATE_FIELD]: state }
}

function toDocument(values: Data): Document {
  return toBson(values) as Document // an object stays an object
}
