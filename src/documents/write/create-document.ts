import { retryCollisions } from '../../mongo/write/retry-collisions.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import type { DocumentContext } from '../context.ts'
import { missingUids } from '../payload/fill-uids.ts'
import type { WriteTarget } from '../write-target.ts'
import { type Alongside, createNew } from './create-versions.ts'
import { retryMadeUids } from './retry-made-uids.ts'
import { takeTurn } from './take-turn.ts'

/**
 * Stores a new document and answers the version asked for. What is published in a type with draft &
 * publish has a draft of the same values beside it.
 * @throws ValidationError for data that the content-type does not allow; then nothing is stored.
 */
export function createDocument(
  context: DocumentContext,
  target: WriteTarget,
  data: unknown,
  alongside: Alongside | null = null,
): Promise<StoredVersion> {
  const create = (): Promise<StoredVersion> =>
    retryCollisions(() => createNew(context, target, data, alongside))
  const names = missingUids(target.plan, data, 'required').map(({ attribute }) => attribute.name)
  // Of two creations at once both would be given the same free uid.
  return names.length === 0
    ? create()
    : takeTurn(context.database, target.plan.uid, () => retryMadeUids(names, create))
}
