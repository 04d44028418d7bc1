import { rmSync } from 'node:fs'
import { expect } from 'chai'
import { encodeDocument } from '../../src/bson/encode.ts'
import { decodeDocument } from '../../src/bson/decode.ts'
import { toDocument } from '../../src/bson/values.ts'
import type { Document } from '../../src/bson/values.ts'
import { parseFilter } from '../../src/filter/filter.ts'
import { planQuery, runQuery } from '../../src/query/run-query.ts'
import { describeIndex } from '../../src/storage/collection.ts'
import { ensureCollection, openData, removeIndexEntries } from '../../src/storage/database.ts'
import type { Data } from '../../src/storage/database.ts'
import { rebuildOutdated } from '../../src/storage/rebuild-indexes.ts'
import { encodeNumberKey, openStore } from '../../src/storage/store.ts'
import { createNewestView } from '../../src/storage/view.ts'
import { applyUnit, insertRecord, createUnit } from '../../src/storage/write-unit.ts'
import { temporaryFolder } from '../contract/targets.ts'

const NULLS = {
  filter: parseFilter(toDocument({ 'a.b': null })),
  sort: [],
  skip: 0,
  limit: Infinity,
}

describe('the indexes of an older version', () => {
  let directory: string
  beforeEach(() => (directory = temporaryFolder()))
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  const open = (): Data => openData(openStore({ directory, durable: false }))

  /** A folder whose index on `a.b` has no entries and is marked as form 1. */
  const writeOld = async (unique: boolean, documents: readonly Document[]): Promise<void> => {
    const data = open()
    const collection = ensureCollection(data, 'test', 'rows')
    const index = describeIndex(
      data.nextIndex++,
      toDocument({ v: 2, key: toDocument({ 'a.b': 1 }), name: 'ab', ...(unique && { unique }) }),
    )
    collection.indexes.push(describeIndex(index.id, toDocument({ ...index.spec, unique: false })))
    data.store.write(() => {
      const unit = createUnit()
      for (const document of documents)
        insertRecord(data, unit, collection, encodeDocument(document), document)
      applyUnit(data, unit)
      removeIndexEntries(data, index)
      const key = encodeNumberKey(collection.id)
      const catalog = decodeDocument(data.store.catalog.get(key) ?? Buffer.alloc(0))
      const [, old] = catalog['indexes'] as [Document, Document]
      delete old['form']
      old['spec'] = index.spec
      data.store.put(data.store.catalog, key, encodeDocument(catalog))
    })
    await data.store.close()
  }

  const missing = toDocument({ _id: 1, a: [toDocument({})] })

  it('are rebuilt once', async () => {
    await writeOld(false, [missing, toDocument({ _id: 2, a: [toDocument({ b: null })] })])
    for (const start of ['first', 'second']) {
      const data = open()
      rebuildOutdated(data)
      const collection = ensureCollection(data, 'test', 'rows')
      const source = { data, view: createNewestView(), collection }
      expect(planQuery(source, NULLS), start).to.not.equal(null)
      expect([...runQuery(source, NULLS)], start).to.have.length(2)
      await data.store.close()
    }
  })

  it('are dropped if they are unique but contain duplicates', async () => {
    await writeOld(true, [missing, toDocument({ _id: 2, a: [toDocument({ b: null })] })])
    for (const start of ['first', 'second']) {
      const data = open()
      rebuildOutdated(data)
      const collection = ensureCollection(data, 'test', 'rows')
      expect(
        collection.indexes.map(({ name }) => name),
        start,
      ).to.deep.equal(['_id_'])
      const source = { data, view: createNewestView(), collection }
      expect([...runQuery(source, NULLS)], start).to.have.length(2)
      await data.store.close()
    }
  })
})
