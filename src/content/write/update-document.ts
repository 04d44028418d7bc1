import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { writeDocument, type WriteItem } from '../../mongo/write/write-path.ts'
import type { DocumentContext } from '../context.ts'
import type { WriteRequest } from '../write-target.ts'
import { changedVersions, checkUpdate, updateVersions } from './update-versions.ts'
import { refuseOutdated } from './write-condition.ts'

/**
 * Returns the requested version. A missing locale starts with the values that all locales share; a
 * missing single type is created.
 * @throws NotFoundError, ValidationError, PreconditionFailedError
 */
export async function updateDocument(
  context: DocumentContext,
  target: WriteRequest,
  data: unknown,
): Promise<StoredVersion> {
  const { plan, documentId, condition, key, origin } = target
  const update = await checkUpdate(context, target, data)
  if (condition !== undefined) {
    await refuseOutdated(context, { plan, documentId, locale: key.locale }, condition)
  }
  const item: WriteItem<StoredVersion> = {
    plan,
    documentId,
    origin,
    changes: changedVersions(target, update),
    write: (session) => updateVersions(context, target, update, session),
  }
  return writeDocument(context.database, item)
}
