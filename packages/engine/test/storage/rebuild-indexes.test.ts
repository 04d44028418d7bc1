import { rmSync } from 'node:fs'
import { expect } from 'chai'
import { encodeDocument } from '../../src/bson/encode.ts'
import { decodeDocument } from '../../src/bson/decode.ts'
import { toDocument } from '../../src/bson/values.ts'
import type { Document } from '../../src/bson/values.ts'
import { parseFilter } from '../../src/filter/filter.ts'
import { planQuery, runQuery } from '../../src/query/run-query.ts'
import type { Query } from '../../src/query/run-query.ts'
import { describeIndex } from '../../src/storage/collection.ts'
import { ensureCollection, openData, removeIndexEntries } from '../../src/storage/database.ts'
import type { Data } from '../../src/storage/database.ts'
import { rebuildOutdated } from '../../src/storage/rebuild-indexes.ts'
import { encodeNumberKey, openStore } from '../../src/storage/store.ts'
import { createNewestView } from '../../src/storage/view.ts'
import { applyUnit, insertRecord, createUnit } from '../../src/storage/write-unit.ts'
import { temporaryFolder } from '../contract/targets.ts'

const NULLS = toDocument({ 'a.b': null })

function queryOf(filter: Document): Query {
  return { filter: parseFilter(filter), sort: [], skip: 0, limit: Infinity }
}

const AB = toDocument({ 'a.b': 1 })

describe('the indexes of an older version', () => {
  let directory: string
  beforeEach(() => (directory = temporaryFolder()))
  afterEach(() => rmSync(directory, { recursive: true, force: true }))

  const open = (): Data => openData(openStore({ directory, durable: false }))

  interface OldIndex {
    readonly key?: Document
    readonly unique?: boolean
    readonly form?: number
  }

  /** A folder whose index has no entries and is marked as an old form. */
  const writeOld = async (
    { key: indexKey = AB, unique = false, form = 1 }: OldIndex,
    documents: readonly Document[],
  ): Promise<void> => {
    const data = open()
    const collection = ensureCollection(data, 'test', 'rows')
    const index = describeIndex(
      data.nextIndex++,
      toDocument({ v: 2, key: indexKey, name: 'old', ...(unique && { unique }) }),
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
      if (form === 1) delete old['form']
      else old['form'] = form
      old['spec'] = index.spec
      data.store.put(data.store.catalog, key, encodeDocument(catalog))
    })
    await data.store.close()
  }

  const missing = toDocument({ _id: 1, a: [toDocument({})] })

  const nulls = [missing, toDocument({ _id: 2, a: [toDocument({ b: null })] })]
  const places = [-180, 0.5, 180].map((east, _id) =>
    toDocument({ _id, at: toDocument({ type: 'Point', coordinates: [east, 10] }) }),
  )
  const AREA = toDocument({
    'at.coordinates.1': toDocument({ $gte: 9, $lte: 10 }),
    'at.coordinates.0': toDocument({ $gte: 0, $lte: 180 }),
  })
  for (const [title, old, documents, filter] of [
    ['of missing values', {}, nulls, NULLS],
    [
      'of places',
      { key: toDocument({ 'at.coordinates.1': 1, 'at.coordinates.0': 1 }), form: 2 },
      places,
      AREA,
    ],
  ] as const) {
    it(`are rebuilt once, for keys ${title}`, async () => {
      await writeOld(old, documents)
      for (const start of ['first', 'second']) {
        const data = open()
        rebuildOutdated(data)
        const collection = ensureCollection(data, 'test', 'rows')
        const source = { data, view: createNewestView(), collection }
        const query = queryOf(filter)
        expect(planQuery(source, query), start).to.not.equal(null)
        expect([...runQuery(source, query)], start).to.have.length(2)
        await data.store.close()
      }
    })
  }

  it('leave the folder to older versions until they are rebuilt', async () => {
    await writeOld({}, nulls)
    const data = open()
    expect(data.store.isMarked()).to.equal(false)
    expect(() =>
      data.store.write(() => {
        rebuildOutdated(data)
        throw new Error('the disk is full')
      }),
    ).to.throw('the disk is full')
    expect(data.store.isMarked()).to.equal(false)
    rebuildOutdated(data)
    expect(data.store.isMarked()).to.equal(true)
    await data.store.close()
  })

  it('are dropped if they are unique but contain duplicates', async () => {
    await writeOld({ unique: true }, nulls)
    for (const start of ['first', 'second']) {
      const data = open()
      rebuildOutdated(data)
      const collection = ensureCollection(data, 'test', 'rows')
      expect(
        collection.indexes.map(({ name }) => name),
        start,
      ).to.deep.equal(['_id_'])
      const source = { data, view: createNewestView(), collection }
      expect([...runQuery(source, queryOf(NULLS))], start).to.have.length(2)
      await data.store.close()
    }
  })
})
