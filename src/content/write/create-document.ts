import type { Session } from '../../mongo/connection/database.ts'
import { runGuarded } from '../../mongo/write/row-guard.ts'
import { writeDocument } from '../../mongo/write/write-path.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import type { DocumentContext } from '../context.ts'
import { hooksOf } from '../hooks/document-hooks.ts'
import { missingUids, retryMadeUids } from '../payload/fill-uids.ts'
import { underRules, UNRULED, withSet } from '../write-rules.ts'
import type { WriteRequest } from '../write-target.ts'
import { isInsertedOnly, newVersions, prepareNew, storeNew } from './create-versions.ts'
import { takeTurn } from '../../base/share-by-key.ts'

export type Alongside = (version: StoredVersion, session: Session) => Promise<void>

/** A published version also gets a draft. @throws ValidationError, and the errors of hooks (`hookData`) */
export async function createDocument(
  context: DocumentContext,
  target: WriteRequest,
  data: unknown,
  alongside: Alongside | null = null,
): Promise<StoredVersion> {
  const { plan, documentId, writer } = target
  const publishes = target.publishes === true ? 'all' : undefined
  const write = {
    plan,
    documentId,
    verb: 'create',
    locale: writer.locale,
    data,
    publishes,
  } as const
  return underRules(context, writer.rules, write, (permit) =>
    createPermitted(context, { ...target, permit }, withSet(data, permit), alongside),
  )
}

/** The target has the permit of the write, and the data has its values. */
export async function createPermitted(
  context: DocumentContext,
  target: WriteRequest,
  data: unknown,
  alongside: Alongside | null,
): Promise<StoredVersion> {
  const hooks = hooksOf(context, target.plan)
  if (hooks === null) return createFilled(context, target, data, alongside)
  const write = { ...target, operation: 'create', previous: null } as const
  const hooked = withSet(await hooks.hookData(write, data, { fill: true }), target.permit)
  return createFilled(context, target, hooked, alongside)
}

function createFilled(
  context: DocumentContext,
  target: WriteRequest,
  data: unknown,
  alongside: Alongside | null,
): Promise<StoredVersion> {
  const create = (): Promise<StoredVersion> => createNew(context, target, data, alongside)
  const names = missingUids(target.plan, data, target.filledUids ?? 'required').map(
    ({ attribute }) => attribute.name,
  )
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
  const { plan, documentId, origin, permit = UNRULED } = target
  const { database } = context
  const isShared = alongside === null && permit.guard === null
  const prepared = await prepareNew(context, target, data)
  const versions = await newVersions(context, target, prepared)
  return writeDocument(database, {
    plan,
    documentId,
    origin,
    changes: isShared && isInsertedOnly(plan, prepared) ? [] : null,
    write: (session) =>
      runGuarded(database, permit.guard, session, async () => {
        const created = await storeNew(context, target, { versions, prepared }, session)
        await alongside?.(created, session)
        return created
      }),
  })
}
