import { CmsError, type Fault } from '../../base/errors.ts'
import { SchemaError } from '../../schema/schema-error.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database, Session } from '../connection/database.ts'
import { deleteRows, type WriteTogether } from '../system/delete-rows.ts'
import { withLease } from '../system/lease.ts'
import { reservationsIn, reservedAttributes, settleReservations } from '../write/reservations.ts'
import { ensureIndexes } from '../system/system-collections.ts'

interface ReservedRow {
  readonly _id: 'reservations'
  readonly attributes: readonly string[]
}

/**
 * Reserves stored values after the schema changed. @throws SchemaError if stored values repeat
 * @param write runs each write in a transaction
 */
export async function syncReservations(
  database: Database,
  plans: readonly ContentTypePlan[],
  write: WriteTogether = (work) => database.transact(work),
): Promise<void> {
  const wanted = plans.flatMap(reservedAttributes)
  if (areSame(await readDone(database), wanted)) return
  await withLease(database, 'reservations', async () => {
    const done = await readDone(database)
    if (areSame(done, wanted)) return
    await ensureIndexes(reservationsIn(database), [{ key: { holder: 1 }, name: 'holder' }])
    const gone = done.filter((attribute) => !wanted.includes(attribute))
    const isNew = (attribute: string): boolean => !done.includes(attribute)
    // New attributes may have stale reservations of a start that failed because of repeated values.
    const attribute = { $in: [...gone, ...wanted.filter(isNew)] }
    await deleteRows(reservationsIn(database), { attribute }, write)
    for (const plan of plans) {
      if (reservedAttributes(plan).some(isNew)) await reserveStored(database, plan, write)
    }
    await write(async (session) => {
      await rowsIn(database).updateOne(
        { _id: 'reservations' },
        { $set: { attributes: wanted } },
        { upsert: true, session },
      )
    })
  })
}

/** `syncReservations` makes these reservations again. @param plans `all` includes content-types that are not declared */
export async function forgetReservations(
  database: Database,
  plans: readonly ContentTypePlan[] | 'all',
  session?: Session,
): Promise<void> {
  const done = await readDone(database, session)
  const forgotten = plans === 'all' ? done : plans.flatMap(reservedAttributes)
  const attributes = done.filter((name) => !forgotten.includes(name))
  if (attributes.length === done.length) return
  await rowsIn(database).updateOne({ _id: 'reservations' }, { $set: { attributes } }, { session })
}

/** Deletes the rows, too, because no declaration names them any more. */
export async function deleteReservations(database: Database, write: WriteTogether): Promise<void> {
  await write((session) => forgetReservations(database, 'all', session))
  await deleteRows(reservationsIn(database), {}, write)
}

async function reserveStored(
  database: Database,
  plan: ContentTypePlan,
  write: WriteTogether,
): Promise<void> {
  const published = database
    .collection(plan.collectionName)
    .find({ status: 'published' }, { projection: { _id: 0, documentId: 1 } })
  for await (const { documentId } of published) {
    try {
      await write((session) => settleReservations(database, plan, String(documentId), session))
    } catch (error) {
      if (!(error instanceof CmsError) || error.status !== 400) throw error
      throw new SchemaError([
        `${plan.collectionName}: stored values repeat where an attribute is declared unique ` +
          `(${String(documentId)}: ${pathsOf(error)})`,
      ])
    }
  }
}

/** The paths of the repeated values. The values of private attributes are not shown. */
function pathsOf({ details, message }: CmsError): string {
  const faults = (details?.['errors'] ?? []) as readonly Fault[] // as `validationError` made them
  return faults.length === 0 ? message : faults.map(({ path }) => path.join('.')).join(', ')
}

function rowsIn(database: Database) {
  return database.table<ReservedRow>('quire_settings')
}

async function readDone(database: Database, session?: Session): Promise<readonly string[]> {
  return (await rowsIn(database).findOne({ _id: 'reservations' }, { session }))?.attributes ?? []
}

function areSame(one: readonly string[], other: readonly string[]): boolean {
  return one.length === other.length && one.every((name) => other.includes(name))
}
