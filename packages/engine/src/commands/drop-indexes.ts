import { areEqualValues } from '../bson/compare.ts'
import { toDocument, isDocument } from '../bson/values.ts'
import type { Value } from '../bson/values.ts'
import { CommandError } from '../errors.ts'
import { readCollectionName } from '../request/request.ts'
import type { Command } from '../request/request.ts'
import { describeValue } from '../storage/describe-value.ts'
import { ID_INDEX } from '../storage/collection.ts'
import type { Collection, Index } from '../storage/collection.ts'
import {
  assertCollection,
  assertUnwritten,
  persistCollection,
  removeIndexEntries,
} from '../storage/database.ts'

function findIndex(collection: Collection, wanted: Value): Index {
  const found = collection.indexes.find(({ name, spec }) =>
    isDocument(wanted) ? areEqualValues(spec['key'], wanted) : name === wanted,
  )
  if (!found)
    throw new CommandError('IndexNotFound', `index not found with name [${describeValue(wanted)}]`)
  if (found.name === ID_INDEX) throw new CommandError('InvalidOptions', 'cannot drop _id index')
  return found
}

export const dropIndexes: Command = {
  options: ['index'],
  access: 'admin',
  run: (request) => {
    const { data } = request.engine
    const collection = assertCollection(data, request.database, readCollectionName(request))
    assertUnwritten(data, collection)
    const { index: wanted } = request.body
    const before = collection.indexes
    const dropped =
      wanted === '*'
        ? before.filter(({ name }) => name !== ID_INDEX)
        : (Array.isArray(wanted) ? wanted : [wanted]).map((one) => findIndex(collection, one))
    const indexes = before.filter((index) => !dropped.includes(index))
    data.store.write(() => {
      for (const index of dropped) removeIndexEntries(data, index)
      persistCollection(data, { ...collection, indexes })
    })
    collection.indexes = indexes
    return toDocument({ nIndexesWas: before.length, ok: 1 })
  },
}
