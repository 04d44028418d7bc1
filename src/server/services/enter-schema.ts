import { SchemaError } from '../../schema/schema-error.ts'
import type { Database } from '../../mongo/connection/database.ts'
import { readLedger, replaceLedger } from '../../mongo/system/schema-ledger.ts'
import type { Definitions, Uid } from '../../schema/definition.ts'
import {
  declaredNames,
  type EnteredDefinitions,
  enterDefinitions,
} from '../../schema/ledger/enter-definitions.ts'
import type { Ledger } from '../../schema/ledger/ledger.ts'

export type EnteredSchema = Pick<
  EnteredDefinitions,
  'definitions' | 'storedNames' | 'renamedHolders' | 'renamed' | 'added' | 'retyped'
>

/** Known declarations write nothing. @throws SchemaError for a rename that is impossible */
export async function enterSchema(
  database: Database,
  definitions: Definitions,
): Promise<EnteredSchema> {
  for (;;) {
    const ledger = await readLedger(database)
    const entered = await resolveNames(database, definitions, ledger)
    if (entered.faults.length > 0) throw new SchemaError(entered.faults)
    const isKnown = entered.ledger === ledger
    if (isKnown || (await replaceLedger(database, ledger, entered.ledger))) return entered
  }
}

export async function readStoredNames(
  database: Database,
  definitions: Definitions,
): Promise<EnteredSchema> {
  const entered = await resolveNames(database, definitions, await readLedger(database))
  if (entered.faults.length > 0) throw new SchemaError(entered.faults)
  return entered
}

export async function resolveNames(
  database: Database,
  definitions: Definitions,
  ledger: Ledger,
): Promise<EnteredDefinitions> {
  const stored = await findStoredSources(database, definitions, ledger)
  const isStored = (uid: Uid, name: string): boolean => stored.has(`${uid} ${name}`)
  return enterDefinitions(ledger, definitions, isStored, new Date())
}

/** The older names that types have values for which the ledger does not know, from before there was a ledger. */
async function findStoredSources(
  database: Database,
  { contentTypes, components }: Definitions,
  ledger: Ledger,
): Promise<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const { uid, collectionName, attributes } of contentTypes) {
    if (ledger.holders[uid] !== undefined) continue
    for (const source of declaredNames(attributes).flatMap(({ from }) => from)) {
      const row = await database
        .table(collectionName)
        .findOne({ [source]: { $exists: true } }, { projection: { _id: 1 } })
      if (row !== null) found.add(`${uid} ${source}`)
    }
  }
  // No query can search all places of a component, so its newest older name counts.
  for (const { uid, attributes } of components) {
    if (ledger.holders[uid] !== undefined) continue
    for (const { from } of declaredNames(attributes)) {
      if (from[0] !== undefined) found.add(`${uid} ${from[0]}`)
    }
  }
  return found
}
