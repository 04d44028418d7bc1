import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { currentAuthorship, currentCaller } from '../../mongo/connection/authorship.ts'
import { beginNextCommit } from '../../mongo/connection/commit-record.ts'
import { retryCollisions } from '../../mongo/write/retry-collisions.ts'
import type { DocumentContext } from '../context.ts'
import type { WriteTarget } from '../write-target.ts'
import { patchOf, updateTogether } from './update-together.ts'
import { checkUpdate, updateVersions } from './update-versions.ts'
import { refuseOutdated } from './write-condition.ts'

/**
 * Returns the requested version. A missing locale starts with the values that all locales share; a missing single
 * type is created.
 * @throws NotFoundError if the document does not exist; ValidationError for invalid data; PreconditionFailedError
 * if the condition of `target` fails
 */
export async function updateDocument(
  context: DocumentContext,
  target: WriteTarget,
  data: unknown,
): Promise<StoredVersion> {
  const { plan, documentId, condition, key } = target
  const update = await checkUpdate(context, target, data)
  if (condition !== undefined) {
    await refuseOutdated(context, { plan, documentId, locale: key.locale }, condition)
  }
  const authorship = currentAuthorship()
  const caller = currentCaller()
  const alone = (): Promise<StoredVersion> =>
    retryCollisions(() =>
      context.database.transact((session) => {
        beginNextCommit(session, authorship) // gathered writes may run in the context of another request
        return updateVersions(context, target, update, session)
      }, caller),
    )
  const patch = patchOf(context, target, update, authorship)
  if (patch === null) return alone()
  return (await updateTogether(context, plan, { patch, alone })) ?? (await alone())
}
