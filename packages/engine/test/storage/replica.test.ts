import { rmSync } from 'node:fs'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { decodeDocument } from '../../src/bson/decode.ts'
import { encodeDocument } from '../../src/bson/encode.ts'
import { toDocument } from '../../src/bson/values.ts'
import { createChangeLog } from '../../src/storage/change-log.ts'
import type { Collection, Record } from '../../src/storage/collection.ts'
import { ensureCollection, openData, recoverData } from '../../src/storage/database.ts'
import type { Data } from '../../src/storage/database.ts'
import { openReplica } from '../../src/storage/replica.ts'
import type { CommitNews, Replica } from '../../src/storage/replica.ts'
import { openStore } from '../../src/storage/store.ts'
import type { Store } from '../../src/storage/store.ts'
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

type Step =
  | { readonly kind: 'insert' | 'undone' | 'pause' | 'resume' }
  | { readonly kind: 'update' | 'remove'; readonly at: number }
  | {
      readonly kind: 'read'
      readonly names: readonly string[]
      readonly most: number
      /** A write happens between the news and the read. */
      readonly isLate: boolean
    }

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('insert', 'undone', 'pause', 'resume') }),
  fc.record({ kind: fc.constantFrom('update', 'remove'), at: fc.nat(9) }),
  fc.record({
    kind: fc.constant('read'),
    names: fc.subarray(['a', 'b', 'c'], { minLength: 1 }),
    most: fc.constantFrom(1, 3, Infinity),
    isLate: fc.boolean(),
  }),
)

describe('the cache of a replica', () => {
  let directory: string
  let store: Store
  let data: Data
  let collection: Collection
  let replica: Replica
  let paused: Generator<Record> | null = null
  let rangesRead = 0
  let made = 0

  before(() => {
    directory = temporaryFolder()
    store = openStore({ directory, durable: false })
    data = openData(store)
  })
  after(async () => {
    await store.close()
    rmSync(directory, { recursive: true, force: true })
  })

  const begin = (most?: number): void => {
    data = { ...data, changes: createChangeLog(most) }
    collection = ensureCollection(data, 'test', `c${++made}`)
    write((unit) => [1, 2, 3, 4].forEach(() => insert(unit)))
    paused = null
    const records = Object.assign(Object.create(store.records) as Store['records'], {
      getRange: (...words: Parameters<Store['records']['getRange']>) => {
        rangesRead += 1
        return store.records.getRange(...words)
      },
    })
    replica = openReplica({ ...store, records })
  }

  const news = (): CommitNews => ({ commit: store.lastCommit(), changes: data.changes.take() })

  const write = (work: (unit: WriteUnit) => void): void => {
    store.write(() => {
      const unit = createUnit()
      work(unit)
      applyUnit(data, unit)
    })
    data.commits++
  }

  const insert = (unit: WriteUnit): void => {
    const document = toDocument({ _id: ++made, a: made, b: `b${made}`, c: 'c'.repeat(10) })
    insertRecord(data, unit, collection, encodeDocument(document), document)
  }

  const stored = (): Record[] => [...scanRecords(data, createNewestView(), collection)]

  const change = (at: number, kind: 'update' | 'remove'): void => {
    const record = stored()[at]
    if (!record) return
    write((unit) => {
      if (kind === 'remove') {
        removeRecord(data, unit, collection, record)
        return
      }
      const document = toDocument({ ...decodeDocument(record.bytes), a: ++made })
      replaceRecord(data, unit, collection, record, { bytes: encodeDocument(document), document })
    })
  }

  const undo = (): void => {
    try {
      store.write(() => {
        const unit = createUnit()
        insert(unit)
        applyUnit(data, unit)
        throw new Error('undone')
      })
    } catch {
      recoverData(data)
    }
  }

  const fieldsOf = (names: readonly string[]): Generator<Record> => {
    const mine = replica.data.collections.get(collection.namespace)
    if (!mine) throw new Error('the collection is not known')
    return replica.data.residents.scanFields(mine, new Set(names))
  }

  const read = (names: readonly string[], most: number, isLate = false): void => {
    const before = news()
    if (isLate) write(insert)
    replica.refresh(before)
    const found: unknown[] = []
    for (const { id, partial } of fieldsOf(names)) {
      found.push([id, ...names.map((name) => partial?.[name])])
      if (found.length >= most) break
    }
    const expected = stored().map(({ id, bytes }) => {
      const whole = decodeDocument(bytes)
      return [id, ...names.map((name) => whole[name])]
    })
    expect(found).to.deep.equal(expected.slice(0, Math.min(most, expected.length)))
    expect(replica.data.residents.get(residentOf())?.size).to.equal(expected.length)
  }

  const residentOf = (): Collection =>
    replica.data.collections.get(collection.namespace) as Collection

  const run = (step: Step): void => {
    if (step.kind === 'insert') write(insert)
    else if (step.kind === 'undone') undo()
    else if (step.kind === 'read') read(step.names, step.most, step.isLate)
    else if (step.kind === 'pause') {
      replica.refresh(news())
      paused = fieldsOf(['a'])
      paused.next()
    } else if (step.kind === 'resume') {
      for (const { partial } of paused ?? []) expect(partial?.['a']).to.be.a('number')
      paused = null
    } else if ('at' in step) change(step.at, step.kind)
  }

  for (const most of [undefined, 2]) {
    it(`contains all commits, with ${most ? 'few' : 'many'} changes listed`, () => {
      const property = fc.property(fc.array(steps, { maxLength: 30 }), (list) => {
        begin(most)
        for (const step of list) run(step)
        read(['a', 'b', 'c'], Infinity)
        read(['a'], Infinity)
      })
      fc.assert(property, { numRuns: 150 })
    })
  }

  it('reloads only changed records', () => {
    begin()
    read(['a'], Infinity)
    const before = rangesRead
    change(1, 'update')
    change(2, 'remove')
    write(insert)
    undo()
    read(['a'], Infinity)
    expect(rangesRead).to.equal(before)
    read(['a'], Infinity, true)
    expect(rangesRead, 'a commit without news').to.be.greaterThan(before)
  })
})
