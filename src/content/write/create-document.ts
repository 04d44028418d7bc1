import { retryCollisions } from '../../mongo/write/retry-collisions.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import type { DocumentContext } from '../context.ts'
import { missingUids } from '../payload/fill-uids.ts'
import type { WriteTarget } from '../write-target.ts'
import { type Alongside, createNew } from './create-versions.ts'
import { retryMadeUids } from './retry-made-uids.ts'
import { takeTurn } from '../../base/take-turn.ts'

/**
 * Returns the requested version. A published version gets a draft with the same values, if the type has drafts.
 * @throws ValidationError for invalid data
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
  // Concurrent creations would generate the same free uid, so they run in sequence.
  return names.length === 0
    ? create()
    : takeTurn(context.database, target.plan.uid, () => retryMadeUids(names, create))
}
