import { decodeDocument } from '../bson/decode.ts'
import { spendOn } from '../deadline.ts'
import { KEY_FORM } from './collection.ts'
import type { Collection, Index } from './collection.ts'
import { persist, removeIndexEntries } from './database.ts'
import type { Data } from './database.ts'
import { indexKeys } from './index-keys.ts'
import { newestView, scanRecords } from './view.ts'
import { addEntries, duplicateKey } from './write-unit.ts'

/**
 * Makes the entries of an index from all records; inside a write.
 * @throws CommandError DuplicateKey
 */
export function buildIndex(data: Data, collection: Collection, index: Index): void {
  for (const record of scanRecords(data, newestView(), collection)) {
    spendOn(record.bytes.length)
    const document = record.document ?? decodeDocument(record.bytes)
    const keys = index.unique ? indexKeys(index, document) : []
    const taken = keys.find((key) => data.store.entries.doesExist(key.bytes))
    if (taken) throw duplicateKey(collection, index, taken)
    addEntries(data, index, document, record.id)
  }
}

/** Only what goes through arrays of documents was ever kept otherwise than it is now. */
function isOutdated(index: Index): boolean {
  return (
    index.keyForm < KEY_FORM &&
    index.fields.some(({ parts }, i) => parts.length > 1 && index.multikey[i] === true)
  )
}

function isUnique(data: Data, collection: Collection, index: Index): boolean {
  const taken = new Set<string>()
  for (const record of scanRecords(data, newestView(), collection)) {
    for (const { bytes } of indexKeys(index, decodeDocument(record.bytes))) {
      const key = bytes.toString('latin1')
      if (taken.has(key)) return false
      taken.add(key)
    }
  }
  return true
}

/**
 * Makes anew what an older version kept in another form. A unique index that let duplicates in by its old form is
 * dropped: whoever declares it is told of them when it is made again.
 */
export function rebuildOutdated(data: Data): void {
  for (const collection of data.collections.values()) {
    const outdated = collection.indexes.filter((index) => isOutdated(index))
    if (outdated.length === 0) continue
    const broken = outdated.filter((index) => index.unique && !isUnique(data, collection, index))
    const indexes = collection.indexes.filter((index) => !broken.includes(index))
    data.store.write(() => {
      for (const index of outdated) {
        removeIndexEntries(data, index)
        if (!broken.includes(index)) buildIndex(data, collection, index)
      }
      persist(data, { ...collection, indexes })
    })
    collection.indexes = indexes
  }
}
