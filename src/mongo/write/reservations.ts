import { createHash } from 'node:crypto'
import { Decimal128 } from 'mongodb'
import { type Fault, validationError } from '../../errors.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'
import type { Database, Session } from '../connection/database.ts'
import { versionsOf, type VersionDocument } from '../versions/stored-version.ts'
import { digitsOf, takenFault, uniqueAttributes, uniqueValues } from './unique-values.ts'
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
export const reservationsIn = (database: Database) =>
  database.collection<Reservation>('quire_reservations')

/** Attributes that are held unique by reservations, as `<collection>.<attribute>`; of others indexes hold it. */
export function reservedAttributes(plan: ContentTypePlan): readonly string[] {
  if (!plan.sharded) return []
  return uniqueAttributes(plan).map(({ name }) => attributeOf(plan, name))
}

/**
 * Runs a write of published versions together with what it reserves and releases: in its transaction, or
 * in one for itself. Where indexes hold what is unique, it is the write alone.
 * @throws ValidationError for a value that another document has reserved.
 */
export function reserving<T>(
  database: Database,
  plan: ContentTypePlan,
  documentIds: readonly string[],
  session: Session | undefined,
  write: (session: Session | undefined) => Promise<T>,
): Promise<T> {
  if (documentIds.length === 0 || reservedAttributes(plan).length === 0) return write(session)
  const both = async (inside: Session): Promise<T> => {
    const written = await write(inside)
    for (const documentId of new Set(documentIds)) {
      await settleReservations(database, plan, documentId, inside)
    }
    return written
  }
  return session === undefined ? database.transact(both) : both(session)
}

/**
 * Makes the reservations of a document those of its published versions, as they are in the transaction.
 * @throws ValidationError for a value that another document has reserved.
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
    for (const each of wanted) {
      if (!held.has(each._id)) await take(database, each, session)
    }
  })
}

async function take(
  database: Database,
  { _id, attribute, holder, fault }: Wanted,
  session: Session,
): Promise<void> {
  const reserved = await reservationsIn(database).findOneAndUpdate(
    { _id },
    { $setOnInsert: { attribute, holder } },
    { ...optionsOf(database, session), upsert: true, returnDocument: 'after' },
  )
  if (reserved?.holder !== holder) throw validationError([fault])
}

function wantedOf(
  plan: ContentTypePlan,
  version: VersionDocument,
  holder: string,
): readonly Wanted[] {
  return uniqueValues(plan, version).map(({ attribute: unique, value }) => {
    const attribute = attributeOf(plan, unique.name)
    const locale: unknown = version['locale']
    const text = JSON.stringify([attribute, locale, textOf(value)])
    const _id = createHash('sha256').update(text).digest('hex')
    return { _id, attribute, holder, fault: takenFault(unique, value) }
  })
}

/** Values of one attribute have one type, so that equal texts are equal values. */
function textOf(value: unknown): string {
  if (value instanceof Date) return String(value.getTime())
  return value instanceof Decimal128 ? digitsOf(value) : String(value)
}

function attributeOf({ collectionName }: ContentTypePlan, name: string): string {
  return `${collectionName}.${name}`
}
