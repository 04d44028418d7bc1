import { MongoBulkWriteError } from 'mongodb'
import { validationError } from '../../base/errors.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import { recordBulk } from '../commits/bulk-intents.ts'
import type { Database } from '../connection/database.ts'
import { BULK_TIMEOUT_MS, findStoredVersionIds } from '../read/get-versions.ts'
import { newRevision, REVISION } from '../versions/version-fields.ts'
import { type StoredVersion, versionsOf } from '../versions/stored-version.ts'
import { versionId } from '../versions/version-match.ts'
import { itemOf } from './note-versions.ts'
import { reservedAttributes } from './reservations.ts'
import { findTaken } from './unique-values.ts'
import { insertVersions, toRows } from './write-versions.ts'

/** Skips stored versions. Atomic per document if values must be reserved, otherwise not. @throws ValidationError */
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
  const items = toRows(plan, stamped, '').map((row) => itemOf(plan, row, { isNew: true }))
  await recordBulk(database, items, async (commit) => {
    try {
      await versionsOf(database, plan).insertMany([...toRows(plan, stamped, commit)], {
        ordered: false,
        maxTimeMS: BULK_TIMEOUT_MS,
      })
    } catch (error) {
      if (!(error instanceof MongoBulkWriteError)) throw error
      await passStored(database, plan, error, versions)
    }
  })
}

/** Ignores versions that are already stored. Driver 7.8 does not report which index rejected a document. */
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
