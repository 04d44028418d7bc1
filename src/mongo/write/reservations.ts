import { createHash } from 'node:crypto'
import { Decimal128 } from 'mongodb'
import { type Fault, validationError } from '../../errors.ts'
import type { ScalarType } from '../../schema/definition.ts'
import type { ContentTypePlan, ScalarPlan } from '../../schema/plan.ts'
import type { Database, Session } from '../connection/database.ts'
import { versionsOf, type VersionDocument } from '../versions/stored-version.ts'
import { nestedUniqueNames, nestedUniqueValues } from './unique-in-components.ts'
import { significantDigits } from '../../schema/values/decimal.ts'
import { takenFault, uniqueAttributes, uniqueValues } from './unique-values.ts'
import { matchDocument } from '../versions/version-match.ts'
import { optionsOf, inSession } from '../connection/commands.ts'

/** That a document has a value which none but it may have. */
interface Reservation {
  /** A digest of attribute, locale and value: a cluster holds unique what is the shard key. */
  readonly _id: string
  /** `<collection>.<attribute>` */
  readonly attribute: string
  /** `<collection>:<documentId>` */
  readonly holder: string
}

/** What a reservation is to be, and the fault of who comes second. */
interface Wanted extends Reservation {
  readonly fault: Fault
}

/** Where they are kept, of all content-types together. */
export function reservationsIn(database: Database) {
  return database.collection<Reservation>('quire_reservations')
}

/**
 * Attributes that are held unique by reservations, as `<collection>.<attribute>`: those of components, and of a sharded
 * collection all. Of others indexes hold it.
 */
export function reservedAttributes(plan: ContentTypePlan): readonly string[] {
  const own = plan.sharded ? uniqueAttributes(plan).map(({ name }) => name) : []
  return [...own, ...nestedUniqueNames(plan)].map((name) => attributeOf(plan, name))
}

/**
 * Runs a write of published versions together with what it reserves and releases, in its transaction. Where indexes hold
 * what is unique, it is the write alone.
 * @throws ValidationError for a value that another document has reserved.
 */
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

/**
 * Makes the reservations of a document those of its published versions, as they are in the transaction.
 * @throws ValidationError naming every value that another document has reserved, or that the version itself repeats.
 */
export async function settleReservations(
  database: Database,
  plan: ContentTypePlan,
  documentId: string,
  session: Session,
): Promise<void> {
  const reservations = reservationsIn(database)
  const holder = `${plan.collectionName}:${documentId}`
  const options = optionsOf(database, session)
  await inSession(session, async () => {
    const published = await versionsOf(database, plan)
      .find({ ...matchDocument(documentId), status: 'published' }, options)
      .toArray()
    const wanted = published.flatMap((version) => wantedOf(plan, version, holder))
    const held = new Set(
      (await reservations.find({ holder }, options).toArray()).map(({ _id }) => _id),
    )
    const kept = new Set(wanted.map(({ _id }) => _id))
    const released = [...held].filter((_id) => !kept.has(_id))
    if (released.length > 0) await reservations.deleteMany({ _id: { $in: released } }, options)
    const faults: Fault[] = []
    const own = new Set<string>()
    for (const each of wanted) {
      const isFree =
        !own.has(each._id) && (held.has(each._id) || (await take(database, each, session)))
      if (!isFree) faults.push(each.fault)
      own.add(each._id)
    }
    const [first, ...others] = faults
    if (first !== undefined) throw validationError([first, ...others], 'value_not_unique')
  })
}

/** False when another document has it. */
async function take(
  database: Database,
  { _id, attribute, holder }: Wanted,
  session: Session,
): Promise<boolean> {
  const reserved = await reservationsIn(database).findOneAndUpdate(
    { _id },
    { $setOnInsert: { attribute, holder } },
    { ...optionsOf(database, session), upsert: true, returnDocument: 'after' },
  )
  return reserved?.holder === holder
}

function wantedOf(
  plan: ContentTypePlan,
  version: VersionDocument,
  holder: string,
): readonly Wanted[] {
  const locale: unknown = version['locale']
  const own = plan.sharded ? uniqueValues(plan, version) : []
  return [
    ...own.map(({ attribute, value }): Wanted => {
      const name = attributeOf(plan, attribute.name)
      const fault = takenFault(attribute, value)
      return { _id: digestOf(name, locale, attribute, value), attribute: name, holder, fault }
    }),
    ...nestedUniqueValues(plan, version).map(({ attribute, value, path, place, name }): Wanted => {
      const _id = digestOf(attributeOf(plan, place), locale, attribute, value)
      const fault = takenFault(attribute, value, path)
      return { _id, attribute: attributeOf(plan, name), holder, fault }
    }),
  ]
}

function digestOf(place: string, locale: unknown, { type }: ScalarPlan, value: unknown): string {
  const text = JSON.stringify([place, locale, textOf(type, value)])
  return createHash('sha256').update(text).digest('hex')
}

/** Equal texts are equal values of a type. */
function textOf(type: ScalarType, value: unknown): string {
  if (type === 'json' || type === 'blocks') return JSON.stringify(value)
  if (value instanceof Date) return String(value.getTime())
  return value instanceof Decimal128 ? significantDigits(value.toString()) : String(value)
}

function attributeOf({ collectionName }: ContentTypePlan, name: string): string {
  return `${collectionName}.${name}`
}
