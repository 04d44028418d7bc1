import { createHash } from 'node:crypto'
import { Decimal128 } from 'mongodb'
import { type Fault, validationError } from '../../base/errors.ts'
import type { ScalarType } from '../../schema/definition.ts'
import type { ContentTypePlan, ScalarPlan } from '../../schema/plan.ts'
import type { Database, Session } from '../connection/database.ts'
import { asVersion, type StoredVersion, versionsOf } from '../versions/stored-version.ts'
import { significantDigits } from '../../schema/values/decimal.ts'
import {
  nestedUniqueNames,
  nestedUniqueValues,
  takenFault,
  uniqueAttributes,
  uniqueValues,
} from './unique-values.ts'
import { matchDocument } from '../versions/version-match.ts'
import { turnOf } from '../sharing/write-turns.ts'

interface Reservation {
  /** SHA-256 of attribute, locale and value. A sharded cluster only enforces uniqueness of the shard key. */
  readonly _id: string
  /** `<collection>.<attribute>` */
  readonly attribute: string
  /** `<collection>:<documentId>` */
  readonly holder: string
}

interface Wanted extends Reservation {
  readonly fault: Fault
}

const MAX_TAKEN = 100
const MAX_READ = 1_000

export function reservationsIn(database: Database) {
  return database.table<Reservation>('quire_reservations')
}

/** As `<collection>.<attribute>`: attributes of components and of sharded collections. Indexes enforce the others. */
export function reservedAttributes(plan: ContentTypePlan): readonly string[] {
  const own = plan.sharded ? uniqueAttributes(plan).map(({ storedName }) => storedName) : []
  return [...own, ...nestedUniqueNames(plan)].map((name) => attributeOf(plan, name))
}

/** Updates the reservations in the transaction of the write. @throws ValidationError if a value is taken */
export async function reserving<T>(
  database: Database,
  plan: ContentTypePlan,
  documentIds: readonly string[],
  session: Session,
  write: () => Promise<T>,
): Promise<T> {
  const written = await write()
  if (reservedAttributes(plan).length === 0) return written
  for (const documentId of new Set(documentIds)) {
    await settleReservations(database, plan, documentId, session)
  }
  return written
}

/** Replaces the reservations of a document. @throws ValidationError for every taken or repeated value */
export async function settleReservations(
  database: Database,
  plan: ContentTypePlan,
  documentId: string,
  session: Session,
): Promise<void> {
  const reservations = reservationsIn(database)
  const holder = holderOf(plan, documentId)
  const options = { session }
  const published = await versionsOf(database, plan)
    .find({ ...matchDocument(documentId), status: 'published' }, options)
    .toArray()
  const wanted = published.flatMap((row) => wantedOf(plan, asVersion(plan, row), holder))
  const held = new Set(
    (await reservations.find({ holder }, options).toArray()).map(({ _id }) => _id),
  )
  const kept = new Set(wanted.map(({ _id }) => _id))
  const released = [...held].filter((_id) => !kept.has(_id))
  const missing = wanted.filter(({ _id }) => !held.has(_id))
  takeReservations([...released, ...missing.map(({ _id }) => _id)], session)
  if (released.length > 0) await reservations.deleteMany({ _id: { $in: released } }, options)
  const taken = await take(database, missing, session)
  const firsts = new Map(wanted.toReversed().map((each) => [each._id, each]))
  const refused = wanted.filter((each) => firsts.get(each._id) !== each || taken.has(each._id))
  const [first, ...others] = refused.map(({ fault }) => fault)
  if (first !== undefined) throw validationError([first, ...others], 'value_not_unique')
}

/** Returns the ids that others have. Uses two commands per 100 values: a list of components may have 5,000. */
async function take(
  database: Database,
  wanted: readonly Reservation[],
  session: Session,
): Promise<ReadonlySet<string>> {
  const reservations = reservationsIn(database)
  const options = { session }
  const taken = new Set<string>()
  for (let at = 0; at < wanted.length; at += MAX_TAKEN) {
    const some = wanted.slice(at, at + MAX_TAKEN)
    await reservations.bulkWrite(
      some.map(({ _id, attribute, holder }) => ({
        updateOne: {
          filter: { _id },
          update: { $setOnInsert: { attribute, holder } },
          upsert: true,
        },
      })),
      options,
    )
    const rows = await reservations
      .find({ _id: { $in: some.map(({ _id }) => _id) } }, options)
      .toArray()
    for (const row of rows) if (row.holder !== some[0]?.holder) taken.add(row._id)
  }
  return taken
}

/** One list of faults per version, for taken or repeated values. `isFreed`: versions that will be unpublished. */
export async function findReserved(
  database: Database,
  plan: ContentTypePlan,
  versions: readonly StoredVersion[],
  isFreed: (documentId: string, locale: string) => boolean,
): Promise<readonly (readonly Fault[])[]> {
  if (nestedUniqueNames(plan).length === 0) return versions.map(() => [])
  const wanted = versions.map((version) =>
    nestedWantedOf(plan, version, holderOf(plan, version.documentId)),
  )
  const holders = await findHolders(
    database,
    wanted.flatMap((own) => own.map(({ _id }) => _id)),
  )
  const claimed = new Set<string>()
  return versions.map(({ locale }, index) =>
    (wanted[index] ?? []).flatMap(({ _id, holder, fault }) => {
      const other = holders.get(_id)
      const isTaken =
        other !== undefined && other !== holder && !isFreed(documentIdOf(other), locale)
      if (isTaken || claimed.has(_id)) return [fault]
      claimed.add(_id)
      return []
    }),
  )
}

async function findHolders(
  database: Database,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const holders = new Map<string, string>()
  for (let at = 0; at < ids.length; at += MAX_READ) {
    const some = { _id: { $in: ids.slice(at, at + MAX_READ) } }
    const options = { batchSize: MAX_READ + 1 }
    for (const { _id, holder } of await reservationsIn(database).find(some, options).toArray()) {
      holders.set(_id, holder)
    }
  }
  return holders
}

function holderOf({ collectionName }: ContentTypePlan, documentId: string): string {
  return `${collectionName}:${documentId}`
}

function documentIdOf(holder: string): string {
  return holder.slice(holder.lastIndexOf(':') + 1)
}

function wantedOf(
  plan: ContentTypePlan,
  version: StoredVersion,
  holder: string,
): readonly Wanted[] {
  const { locale } = version
  const own = plan.sharded ? uniqueValues(plan, version) : []
  return [
    ...own.map(({ attribute, value }): Wanted => {
      const name = attributeOf(plan, attribute.storedName)
      const fault = takenFault(attribute, value)
      return { _id: digestOf(name, locale, attribute, value), attribute: name, holder, fault }
    }),
    ...nestedWantedOf(plan, version, holder),
  ]
}

function nestedWantedOf(
  plan: ContentTypePlan,
  version: StoredVersion,
  holder: string,
): readonly Wanted[] {
  const { locale } = version
  return nestedUniqueValues(plan, version).map(({ attribute, value, path, place, name }) => ({
    _id: digestOf(attributeOf(plan, place), locale, attribute, value),
    attribute: attributeOf(plan, name),
    holder,
    fault: takenFault(attribute, value, path),
  }))
}

function digestOf(place: string, locale: unknown, { type }: ScalarPlan, value: unknown): string {
  const text = JSON.stringify([place, locale, textOf(type, value)])
  return createHash('sha256').update(text).digest('hex')
}

/** Equal values of a type have equal texts. */
function textOf(type: ScalarType, value: unknown): string {
  if (type === 'json' || type === 'blocks') return JSON.stringify(value)
  if (value instanceof Date) return String(value.getTime())
  return value instanceof Decimal128 ? significantDigits(value.toString()) : String(value)
}

function attributeOf({ collectionName }: ContentTypePlan, name: string): string {
  return `${collectionName}.${name}`
}

/** @throws TurnTaken */
function takeReservations(ids: readonly string[], session: Session): void {
  turnOf(session)?.take(ids.map((id) => `reservation ${id}`))
}
