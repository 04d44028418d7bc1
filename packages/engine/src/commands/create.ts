import { toDocument, createDocument } from '../bson/values.ts'
import { CommandError } from '../errors.ts'
import { readCollectionName, refuseCollation, refuseOption } from '../request/request.ts'
import type { Command } from '../request/request.ts'
import { ensureCollection, findCollection, persistCollection } from '../storage/database.ts'

const REFUSED = [
  'capped',
  'timeseries',
  'viewOn',
  'pipeline',
  'validator',
  'clusteredIndex',
  'expireAfterSeconds',
  'changeStreamPreAndPostImages',
  'encryptedFields',
] as const

export const create: Command = {
  options: [
    ...REFUSED,
    'collation',
    'size',
    'max',
    'autoIndexId',
    'idIndex',
    'storageEngine',
    'indexOptionDefaults',
    'validationLevel',
    'validationAction',
  ],
  access: 'admin',
  run: (request) => {
    const { data } = request.engine
    const name = readCollectionName(request)
    for (const option of REFUSED) refuseOption(request.body, option)
    refuseCollation(request.body)
    if (findCollection(data, request.database, name)) {
      throw new CommandError(
        'NamespaceExists',
        `Collection ${request.database}.${name} already exists.`,
      )
    }
    const collection = ensureCollection(data, request.database, name, createDocument())
    data.store.write(() => persistCollection(data, collection))
    collection.exists = true
    return toDocument({ ok: 1 })
  },
}
