import { NotFoundError } from '../../errors.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import { retryCollisions } from '../../mongo/write/retry-collisions.ts'
import type { DocumentContext } from '../context.ts'
import { completeValues } from '../payload/write-values.ts'
import type { WriteTarget } from '../write-target.ts'
import { createNew } from './create-versions.ts'
import { assertFreeIfThere, checkUpdate, type Update, updateVersions } from './update-versions.ts'
import { patchWritten } from './version-steps.ts'
import { refuseOutdated } from './write-condition.ts'

/**
 * Changes what is given of a document and answers the version asked for. A locale that the document
 * does not have yet begins with the values that all locales share; a single type is created.
 * @throws NotFoundError for a document that does not exist; ValidationError for data that the
 * content-type does not allow; PreconditionFailedError where `target` sets a condition. Then nothing is changed.
 */
export async function updateDocument(
  context: DocumentContext,
  target: WriteTarget,
  data: unknown,
): Promise<StoredVersion> {
  const { plan, documentId, condition, key } = target
  const update = await checkUpdate(context, target, data)
  const { prepared } = update
  if (condition !== undefined) {
    await refuseOutdated(context, { plan, documentId, locale: key.locale }, condition)
  }
  return retryCollisions(() =>
    plan.draftAndPublish || plan.localized || prepared.needsStored || condition !== undefined
      ? context.database.transact((session) => updateVersions(context, target, update, session))
      : updateOnly(context, target, update),
  )
}

/** One version, changed without regard to what it holds: one command, atomic by itself. */
async function updateOnly(
  context: DocumentContext,
  target: WriteTarget,
  { data, prepared }: Update,
): Promise<StoredVersion> {
  const { plan } = target
  const values = completeValues(plan, prepared, {})
  await assertFreeIfThere(context, target, values, undefined)
  const patched = await patchWritten(context, target, values, undefined)
  if (patched !== null) return patched
  if (plan.kind === 'singleType') return createNew(context, target, data)
  throw new NotFoundError('Not Found')
}
