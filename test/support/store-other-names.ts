import { MongoClient } from 'mongodb'
import { SchemaError } from '../../src/schema/schema-error.ts'
import { BUILT_IN_TYPES } from '../../src/schema/built-in-types.ts'
import type { Definitions } from '../../src/schema/definition.ts'
import { attributeTypeOf } from '../../src/schema/ledger/type-of-attribute.ts'
import { readDefinitions } from '../../src/schema/read-definitions.ts'
import type { Column } from '../../src/schema/ledger/ledger.ts'

/**
 * With `QUIRE_TEST_STORED_NAMES=other`, gives each attribute of a new database another stored name, as after renames.
 * Any code that confuses the two names then fails the tests of the API.
 */
export async function storeOtherNames(
  uri: string,
  database: string,
  contentTypesDir: string,
): Promise<void> {
  if (process.env['QUIRE_TEST_STORED_NAMES'] !== 'other') return
  let definitions: Definitions
  try {
    definitions = await readDefinitions(contentTypesDir)
  } catch (error) {
    if (error instanceof SchemaError) return // the test starts a server with invalid declarations
    throw error
  }
  const { contentTypes, components } = definitions
  const holders = [...contentTypes, ...components].map(({ uid, attributes }) => {
    const own = BUILT_IN_TYPES.find((type) => type.uid === uid)?.attributes ?? {}
    const columns = Object.entries(attributes).map(([name, attribute]): Column => {
      const stored = Object.hasOwn(own, name) ? name : `${name}~9`
      const type = attributeTypeOf(attribute, (storedUid) => storedUid)
      return { stored, ...type, names: [name], since: 1, isLive: true }
    })
    return [uid, { version: 1, columns }] as const
  })
  const ledger = { version: 1, holders: Object.fromEntries(holders), releases: [] }
  const client = await MongoClient.connect(uri)
  try {
    await client
      .db(database)
      .collection<{ readonly _id: string }>('quire_schema')
      .updateOne({ _id: 'ledger' }, { $setOnInsert: ledger }, { upsert: true })
  } finally {
    await client.close()
  }
}
