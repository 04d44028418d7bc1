import type { ExtensionDatabase } from '../../extensions/extension.ts'
import type { Database } from '../../mongo/connection/database.ts'
import type { Schema } from '../../schema/plan.ts'

const RESERVED = /^(quire_|system\.)/i

/** @throws TypeError for collections of Quire, of MongoDB and of content-types */
export function extensionDatabase(
  database: Pick<Database, 'collection'>,
  { contentTypes }: Pick<Schema, 'contentTypes'>,
): ExtensionDatabase {
  const taken = new Map(
    [...contentTypes.values()].map(({ collectionName, uid }) => [
      collectionName.toLowerCase(),
      uid,
    ]),
  )
  return {
    collection: (name) => {
      const uid = taken.get(name.toLowerCase())
      if (uid !== undefined) {
        throw new TypeError(
          `database: ${name} holds the entries of ${uid}; use content instead of the collection`,
        )
      }
      if (RESERVED.test(name)) throw new TypeError(`database: the name ${name} is reserved`)
      return database.collection(name)
    },
  }
}
