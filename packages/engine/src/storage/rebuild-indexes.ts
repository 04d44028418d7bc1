import { decodeDocument } from '../bson/decode.ts'
import { spendOn } from '../deadline.ts'
import { KEY_FORM } from './collection.ts'
import type { Collection, Index } from './collection.ts'
import { persistCollection, removeIndexEntries } from './database.ts'
import type { Data } from './database.ts'
import { makeIndexKeys } from './index-keys.ts'
import { createNewestView, scanRecords } from './view.ts'
import { addEntries, duplicateKey } from './write-unit.ts'

/** Must run inside a write. @throws CommandError DuplicateKey */
export function buildIndex(data: Data, collection: Collection, index: Index): void {
  for (const record of scanRecords(data, createNewestView(), collection)) {
    spendOn(record.bytes.length)
    const document = record.document ?? decodeDocument(record.bytes)
    const keys = index.unique ? makeIndexKeys(index, document) : []
    const taken = keys.find((key) => data.store.entries.doesExist(key.bytes))
    if (taken) throw duplicateKey(collection, index, taken)
    addEntries(data, index, document, record.id)
  }
}

/** Form 1 differs only for paths through arrays of documents, form 2 only for places. */
function isOutdated({ keyForm, places, fields, multikey }: Index): boolean {
  if (keyForm < KEY_FORM && places !== null) return true
  return keyForm < 2 && fields.some(({ parts }, i) => parts.length > 1 && multikey[i] === true)
}

function isUnique(data: Data, collection: Collection, index: Index): boolean {
  const taken = new Set<string>()
  for (const record of scanRecords(data, createNewestView(), collection)) {
    for (const { bytes } of makeIndexKeys(index, decodeDocument(record.bytes))) {
      const key = bytes.toString('latin1')
      if (taken.has(key)) return false
      taken.add(key)
    }
  }
  return true
}

interface Rebuild {
  readonly collection: Collection
  readonly outdated: readonly Index[]
  /** Unique, with entries that the old form permitted. */
  readonly broken: readonly Index[]
  readonly kept: Index[]
}

function rebuildOf(data: Data, collection: Collection): Rebuild {
  const outdated = collection.indexes.filter((index) => isOutdated(index))
  const broken = outdated.filter((index) => index.unique && !isUnique(data, collection, index))
  const kept = collection.indexes.filter((index) => !broken.includes(index))
  return { collection, outdated, broken, kept }
}

/**
 * A unique index whose old form allowed duplicates is dropped. Creating it again reports them. If the disk is full, an
 * older version can still open the folder.
 */
export function rebuildOutdated(data: Data): void {
  const rebuilds = [...data.collections.values()]
    .map((collection) => rebuildOf(data, collection))
    .filter(({ outdated }) => outdated.length > 0)
  if (rebuilds.length === 0 && data.store.isMarked()) return
  data.store.write(() => {
    for (const { collection, outdated, broken, kept } of rebuilds) {
      for (const index of outdated) {
        removeIndexEntries(data, index)
        if (!broken.includes(index)) buildIndex(data, collection, index)
      }
      persistCollection(data, { ...collection, indexes: kept })
    }
    data.store.mark()
  })
  for (const { collection, kept } of rebuilds) collection.indexes = kept
}
