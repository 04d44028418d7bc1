import { singleDocumentId } from '../../content/write/single-document-id.ts'
import { SchemaError } from '../../schema/schema-error.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { assertConvertible, findLosses } from './assert-convertible.ts'
import { findIdKinds } from './find-id-kinds.ts'
import { markFollowed } from './mark-followed.ts'
import { readLedger, replaceLedger } from '../../mongo/system/schema-ledger.ts'
import type { Definitions, Uid } from '../../schema/definition.ts'
import {
  type EnteredDefinitions,
  enterDefinitions,
  storedUidOf,
} from '../../schema/ledger/enter-definitions.ts'
import type { Ledger } from '../../schema/ledger/ledger.ts'
import { sourcesOf } from '../../schema/ledger/type-of-attribute.ts'

export type EnteredSchema = Pick<
  EnteredDefinitions,
  | 'definitions'
  | 'storedNames'
  | 'ledger'
  | 'digest'
  | 'releasedAt'
  | 'isKnown'
  | 'renamedHolders'
  | 'renamed'
  | 'added'
  | 'retyped'
>

/** Writes only if a name or a type changes. @throws SchemaError for a rename or conversion that is impossible */
export async function enterSchema(
  database: Database,
  definitions: Definitions,
): Promise<EnteredSchema> {
  for (;;) {
    const ledger = await readLedger(database)
    const entered = await resolveNames(database, definitions, ledger)
    assertNoFaults(entered)
    if (entered.ledger === ledger) return entered
    await assertConvertible(database, entered)
    if (await replaceLedger(database, ledger, entered.ledger)) return entered
  }
}

/**
 * For changes of the files while a server runs.
 * @throws SchemaError for declarations that the next start would refuse
 */
export async function assertKeepsValues(
  database: Database,
  definitions: Definitions,
): Promise<EnteredSchema> {
  const entered = await readStoredNames(database, definitions)
  const losses = await findLosses(database, entered)
  if (losses.length > 0) throw SchemaError.at(losses)
  return entered
}

function assertNoFaults({ faults }: EnteredDefinitions): void {
  if (faults.length > 0) throw new SchemaError(faults)
}

export async function readStoredNames(
  database: Database,
  definitions: Definitions,
): Promise<EnteredSchema> {
  const entered = await resolveNames(database, definitions, await readLedger(database))
  assertNoFaults(entered)
  return entered
}

export async function resolveNames(
  database: Database,
  definitions: Definitions,
  ledger: Ledger,
): Promise<EnteredDefinitions> {
  const stored = await findStoredSources(database, definitions, ledger)
  const isStored = (uid: Uid, name: string): boolean => stored.has(`${uid} ${name}`)
  const entered = enterDefinitions(ledger, definitions, isStored, new Date())
  if (entered.faults.length > 0) return entered
  const { definitions: withKinds, faults } = await findIdKinds(database, entered.definitions)
  const hidden = entered.isKnown ? [] : await findHiddenEntries(database, entered.definitions)
  const found = await markFollowed(database, withKinds)
  return { ...entered, definitions: found, faults: [...faults, ...hidden] }
}

/** A single type shows one entry, so it would hide the entries of a former collection type. */
async function findHiddenEntries(
  database: Database,
  { contentTypes }: Definitions,
): Promise<readonly string[]> {
  const faults: string[] = []
  for (const type of contentTypes.filter(({ kind }) => kind === 'singleType')) {
    const documentId = singleDocumentId(storedUidOf(type))
    const hidden = await database
      .table(type.collectionName)
      .findOne({ documentId: { $ne: documentId } }, { projection: { _id: 1 } })
    if (hidden !== null) faults.push(`${type.file}: kind: ${HIDES_ENTRIES}`)
  }
  return faults
}

const HIDES_ENTRIES =
  'the content-type was a collectionType and has entries, which a singleType would hide; delete them first'

/** The older names that types have values for which the ledger does not know, from before there was a ledger. */
async function findStoredSources(
  database: Database,
  { contentTypes, components }: Definitions,
  ledger: Ledger,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const { uid, collectionName, attributes, adopt } of contentTypes) {
    if (adopt !== undefined || ledger.holders[uid] !== undefined) continue
    for (const source of Object.values(attributes).flatMap(sourcesOf)) {
      const row = await database
        .table(collectionName)
        .findOne({ [source]: { $exists: true } }, { projection: { _id: 1 } })
      if (row !== null) found.add(`${uid} ${source}`)
    }
  }
  // No query can search all places of a component, so its newest older name counts.
  for (const { uid, attributes } of components) {
    if (ledger.holders[uid] !== undefined) continue
    for (const [newest] of Object.values(attributes).map(sourcesOf)) {
      if (newest !== undefined) found.add(`${uid} ${newest}`)
    }
  }
  return found
}
