import { rmSync } from 'node:fs'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { decodeDocument } from '../../src/bson/decode.ts'
import { encodeDocument } from '../../src/bson/encode.ts'
import { toDocument } from '../../src/bson/values.ts'
import type { Document, Value } from '../../src/bson/values.ts'
import { CommandError } from '../../src/errors.ts'
import { describeIndex } from '../../src/storage/collection.ts'
import type { Collection, Record } from '../../src/storage/collection.ts'
import { ensureCollection, openData } from '../../src/storage/database.ts'
import type { Data } from '../../src/storage/database.ts'
import { findArrayFields, makeIndexKeys } from '../../src/storage/index-keys.ts'
import { encodeNumberKey, openStore } from '../../src/storage/store.ts'
import { createNewestView, scanRecords } from '../../src/storage/view.ts'
import {
  applyUnit,
  insertRecord,
  createUnit,
  removeRecord,
  replaceRecord,
} from '../../src/storage/write-unit.ts'
import type { WriteUnit } from '../../src/storage/write-unit.ts'
import { temporaryFolder } from '../contract/targets.ts'

const SPECS = [
  { key: { a: 1 }, name: 'a', unique: true, sparse: true },
  { key: { b: -1, a: 1 }, name: 'b_a' },
  { key: { 'c.d': 1 }, name: 'c.d' },
  { key: { b: 1 }, name: 'partial', partialFilterExpression: { a: { $gt: 2 } } },
] as const

type Fields = Readonly<{ [name: string]: Value }>
type Change =
  | { readonly kind: 'insert'; readonly fields: Fields }
  | { readonly kind: 'update'; readonly at: number; readonly fields: Fields }
  | { readonly kind: 'remove'; readonly at: number }

const value = fc.constantFrom<Value>(1, 2, 3, 'x', null, [1, 2], [3], [])
const fields: fc.Arbitrary<Fields> = fc.record(
  { a: fc.nat(6), b: value, c: value.map((d) => toDocument({ d })) },
  { requiredKeys: [] },
)
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constant('insert'), fields }),
  fc.record({ kind: fc.constant('update'), at: fc.nat(4), fields }),
  fc.record({ kind: fc.constant('remove'), at: fc.nat(4) }),
)
const units = fc.array(fc.array(change, { maxLength: 6 }), { maxLength: 6 })

function spec({ key, ...options }: (typeof SPECS)[number]): Document {
  const partial = 'partialFilterExpression' in options && {
    partialFilterExpression: toDocument({ a: toDocument({ $gt: 2 }) }),
  }
  return toDocument({ v: 2, key: toDocument(key), ...options, ...partial })
}

describe('the entries of indexes', () => {
  let directory: string
  let data: Data
  let collection: Collection
  let made = 0
  before(() => {
    directory = temporaryFolder()
    data = openData(openStore({ directory, durable: false }))
  })
  after(async () => {
    await data.store.close()
    rmSync(directory, { recursive: true, force: true })
  })

  const begin = (): void => {
    collection = ensureCollection(data, 'test', `c${++made}`)
    collection.indexes.push(...SPECS.map((one) => describeIndex(data.nextIndex++, spec(one))))
  }

  const write = (work: (unit: WriteUnit) => void): number => {
    const before = data.store.changes()
    data.store.write(() => {
      const unit = createUnit()
      work(unit)
      applyUnit(data, unit)
    })
    data.commits++
    return data.store.changes() - before
  }

  const apply = (unit: WriteUnit, one: Change): void => {
    if (one.kind === 'insert') {
      const document = toDocument({ _id: ++made, ...one.fields })
      insertRecord(data, unit, collection, encodeDocument(document), document)
      return
    }
    const record = [...scanRecords(data, unit, collection)][one.at]
    if (!record) return
    if (one.kind === 'remove') {
      removeRecord(data, unit, collection, record)
      return
    }
    const document = toDocument({ ...decodeDocument(record.bytes), ...one.fields })
    replaceRecord(data, unit, collection, record, { bytes: encodeDocument(document), document })
  }

  /** A change that a unique index refuses has no effect. */
  const tryTo = (unit: WriteUnit, one: Change): void => {
    try {
      apply(unit, one)
    } catch (error) {
      if (!(error instanceof CommandError)) throw error
    }
  }

  const expected = (records: readonly Record[]): string[] =>
    collection.indexes
      .flatMap((index) =>
        records.flatMap(({ id, bytes }) =>
          makeIndexKeys(index, decodeDocument(bytes)).map((key) =>
            (index.unique ? key.bytes : Buffer.concat([key.bytes, encodeNumberKey(id)])).toString(
              'hex',
            ),
          ),
        ),
      )
      .toSorted()

  const stored = (): string[] =>
    collection.indexes
      .flatMap(({ id }) =>
        [
          ...data.store.entries.getKeys({
            start: encodeNumberKey(id),
            end: encodeNumberKey(id + 1),
          }),
        ].map((key) => key.toString('hex')),
      )
      .toSorted()

  it('match the documents after any changes, also several in one unit', () => {
    const property = fc.property(units, (list) => {
      begin()
      write((unit) => [1, 2].forEach((a) => apply(unit, { kind: 'insert', fields: { a } })))
      for (const changes of list) {
        write((unit) => changes.forEach((one) => tryTo(unit, one)))
        const records = [...scanRecords(data, createNewestView(), collection)]
        expect(stored()).to.deep.equal(expected(records))
        for (const { bytes } of records) {
          const document = decodeDocument(bytes)
          for (const index of collection.indexes)
            findArrayFields(index, document).forEach((isArray, i) => {
              expect(!isArray || index.multikey[i], `${index.name} knows of arrays`).to.equal(true)
            })
        }
      }
    })
    fc.assert(property, { numRuns: 200 })
  })

  it('are not written again if the indexed fields are unchanged', () => {
    begin()
    write((unit) => apply(unit, { kind: 'insert', fields: { a: 1, b: [1, 2] } }))
    const update = (changed: Fields): number =>
      write((unit) => apply(unit, { kind: 'update', at: 0, fields: changed }))
    // The document counts once. A changed entry adds two: one is removed and one is added.
    const own = update({ other: 1 })
    expect(update({ other: 2 })).to.equal(own)
    expect(update({ c: toDocument({ d: 1 }) })).to.equal(own + 2)
    expect(update({ b: [1, 3] })).to.equal(own + 2)
    expect(update({ a: 2 })).to.equal(own + 2 + 4)
  })
})
