import type { Session } from '../../mongo/connection/database.ts'
import { writeDocument } from '../../mongo/write/write-path.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import type { DocumentContext } from '../context.ts'
import { missingUids } from '../payload/fill-uids.ts'
import type { WriteRequest } from '../write-target.ts'
import { isInsertedOnly, newVersions, prepareNew, storeNew } from './create-versions.ts'
import { retryMadeUids } from './retry-made-uids.ts'
import { takeTurn } from '../../base/take-turn.ts'

/** Stores further rows in the transaction of a creation. */
export type Alongside = (version: StoredVersion, session: Session) => Promise<void>

/** Returns the requested version. A published version also gets a draft. @throws ValidationError */
export function createDocument(
  context: DocumentContext,
  target: WriteRequest,
  data: unknown,
  alongside: Alongside | null = null,
): Promise<StoredVersion> {
  const create = (): Promise<StoredVersion> => createNew(context, target, data, alongside)
  const names = missingUids(target.plan, data, 'required').map(({ attribute }) => attribute.name)
  // Concurrent creations would generate the same free uid.
  return names.length === 0
    ? create()
    : takeTurn(context.database, target.plan.uid, () => retryMadeUids(names, create))
}

async function createNew(
  context: DocumentContext,
  target: WriteRequest,
  data: unknown,
  alongside: Alongside | null,
): Promise<StoredVersion> {
  const { plan, documentId, origin } = target
  const prepared = await prepareNew(context, target, data)
  const versions = await newVersions(context, target, prepared)
  return writeDocument(context.database, {
    plan,
    documentId,
    origin,
    changes: alongside === null && isInsertedOnly(plan, prepared) ? [] : null,
    write: async (session) => {
      const created = await storeNew(context, target, { versions, prepared }, session)
      await alongside?.(created, session)
      return created
    },
  })
}
