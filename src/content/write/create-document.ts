import type { Session } from '../../mongo/connection/database.ts'
import { runGuarded } from '../../mongo/write/row-guard.ts'
import { writeDocument, type WriteItem } from '../../mongo/write/write-path.ts'
import type { StoredVersion } from '../../mongo/versions/stored-version.ts'
import type { DocumentContext } from '../context.ts'
import { hooksOf } from '../hooks/document-hooks.ts'
import { missingUids, retryMadeUids } from '../payload/fill-uids.ts'
import { underRules, UNRULED, withSet } from '../write-rules.ts'
import type { PreparedWrite, WriteRequest } from '../write-target.ts'
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
  return createWith(context, target, data, storingIn(context, alongside))
}

/** The first part of `createDocument`. @throws the same errors */
export function prepareCreation(
  context: DocumentContext,
  target: WriteRequest,
  data: unknown,
): Promise<PreparedWrite> {
  const store = (creation: PreparedWrite) => Promise.resolve(creation)
  return createWith(context, target, data, { alongside: null, store })
}

interface Storing<T> {
  readonly alongside: Alongside | null
  readonly store: (creation: PreparedWrite) => Promise<T>
}

function storingIn(
  { database }: DocumentContext,
  alongside: Alongside | null,
): Storing<StoredVersion> {
  return { alongside, store: ({ item }) => writeDocument(database, item) }
}

function createWith<T>(
  context: DocumentContext,
  target: WriteRequest,
  data: unknown,
  storing: Storing<T>,
): Promise<T> {
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
    createHooked(context, { ...target, permit }, withSet(data, permit), storing),
  )
}

/** The target has the permit of the write, and the data has its values. */
export function createPermitted(
  context: DocumentContext,
  target: WriteRequest,
  data: unknown,
  alongside: Alongside | null,
): Promise<StoredVersion> {
  return createHooked(context, target, data, storingIn(context, alongside))
}

async function createHooked<T>(
  context: DocumentContext,
  target: WriteRequest,
  data: unknown,
  storing: Storing<T>,
): Promise<T> {
  const hooks = hooksOf(context, target.plan)
  if (hooks === null) return createFilled(context, target, data, storing)
  const write = { ...target, operation: 'create', previous: null } as const
  const hooked = withSet(await hooks.hookData(write, data, { fill: true }), target.permit)
  return createFilled(context, target, hooked, storing)
}

function createFilled<T>(
  context: DocumentContext,
  target: WriteRequest,
  data: unknown,
  storing: Storing<T>,
): Promise<T> {
  const create = (): Promise<T> => createNew(context, target, data, storing)
  const names = missingUids(target.plan, data, target.filledUids ?? 'required').map(
    ({ attribute }) => attribute.name,
  )
  // Concurrent creations would generate the same free uid.
  return names.length === 0
    ? create()
    : takeTurn(context.database, target.plan.uid, () => retryMadeUids(names, create))
}

async function createNew<T>(
  context: DocumentContext,
  target: WriteRequest,
  data: unknown,
  { alongside, store }: Storing<T>,
): Promise<T> {
  const { plan, documentId, origin, permit = UNRULED } = target
  const { database } = context
  const prepared = await prepareNew(context, target, data)
  const versions = await newVersions(context, target, prepared)
  const isInserted = alongside === null && isInsertedOnly(plan, prepared)
  const item: WriteItem<StoredVersion> = {
    plan,
    documentId,
    origin,
    changes: isInserted && permit.guard === null ? [] : null,
    write: (session) =>
      runGuarded(database, permit.guard, session, async () => {
        const created = await storeNew(context, target, { versions, prepared }, session)
        await alongside?.(created, session)
        return created
      }),
  }
  // Creations that are prepared together would generate the same uid.
  return store({ item, isShareable: isInserted && (prepared.madeUids ?? []).length === 0 })
}
