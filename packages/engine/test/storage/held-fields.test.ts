import { rmSync } from 'node:fs'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { decodeDocument } from '../../src/bson/decode.ts'
import { encodeDocument } from '../../src/bson/encode.ts'
import { toDocument } from '../../src/bson/values.ts'
import type { Collection, Record } from '../../src/storage/collection.ts'
import { ensureCollection, openData, recoverData } from '../../src/storage/database.ts'
import type { Data } from '../../src/storage/database.ts'
import { createHeldFieldsCache } from '../../src/storage/held-fields.ts'
import { createResidentCache } from '../../src/storage/residents.ts'
import { openStore } from '../../src/storage/store.ts'
import { createNewestView, scanRecords } from '../../src/storage/view.ts'
import {
  applyUnit,
  insertRecord,
  createUnit,
  removeRecord,
  replaceRecord,
} from '../../src/storage/write-unit.ts'
import { temporaryFolder } from '../contract/targets.ts'

type Step =
  | { readonly kind: 'insert' | 'undone' }
  | { readonly kind: 'update' | 'remove'; readonly at: number }
  | { readonly kind: 'scan'; readonly names: readonly string[]; readonly most: number }
  | { readonly kind: 'pause' | 'resume' | 'let go' }

const steps: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constantFrom('insert', 'undone') }),
  fc.record({ kind: fc.constantFrom('update', 'remove'), at: fc.nat(9) }),
  fc.record({
    kind: fc.constant('scan'),
    names: fc.subarray(['a', 'b', 'c'], { minLength: 1 }),
    most: fc.constantFrom(1, 3, Infinity),
  }),
  fc.record({ kind: fc.constantFrom('pause', 'resume', 'let go') }),
)

const BUDGETS = { 'with a large budget': undefined, 'with a small budget': 300 } as const

for (const [where, budget] of Object.entries(BUDGETS))
  describe(`held fields ${where}`, () => {
    let directory: string
    let data: Data
    let collection: Collection
    let made = 0
    let paused: Generator<Record> | null = null
    before(() => {
      directory = temporaryFolder()
      const opened = openData(openStore({ directory, durable: false }))
      const held = createHeldFieldsCache(opened.store, budget)
      data = { ...opened, residents: createResidentCache(opened.store, undefined, held) }
    })
    after(async () => {
      await data.store.close()
      rmSync(directory, { recursive: true, force: true })
    })

    const stored = (): Record[] => [...scanRecords(data, createNewestView(), collection)]

    const write = (change: (unit: ReturnType<typeof createUnit>) => void): void => {
      data.store.write(() => {
        const unit = createUnit()
        change(unit)
        applyUnit(data, unit)
      })
      data.commits++
    }

    const insert = (unit: ReturnType<typeof createUnit>): void => {
      const document = toDocument({ _id: ++made, a: made, b: `b${made}`, c: [made] })
      insertRecord(data, unit, collection, encodeDocument(document), document)
    }

    const undo = (): void => {
      try {
        write((unit) => {
          insert(unit)
          throw new Error('undone')
        })
      } catch {
        recoverData(data)
      }
    }

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

    const check = (records: readonly Record[], names: readonly string[]): void => {
      for (const { id, bytes, partial } of records) {
        const whole = decodeDocument(bytes)
        for (const name of names)
          expect([id, name, partial?.[name]]).to.deep.equal([id, name, whole[name]])
      }
    }

    const scan = (names: readonly string[], most: number): void => {
      const found: Record[] = []
      for (const record of data.residents.scanFields(collection, new Set(names))) {
        found.push(record)
        if (found.length >= most) break
      }
      check(found, names)
      const wanted = stored().map(({ id }) => id)
      expect(found.map(({ id }) => id)).to.deep.equal(wanted.slice(0, found.length))
      if (most === Infinity) expect(found).to.have.length(wanted.length)
    }

    const run = (step: Step): void => {
      if (step.kind === 'insert') write(insert)
      else if (step.kind === 'undone') undo()
      else if (step.kind === 'scan') scan(step.names, step.most)
      else if (step.kind === 'pause') {
        paused = data.residents.scanFields(collection, new Set(['a']))
        paused.next()
      } else if (step.kind === 'resume') {
        for (const record of paused ?? []) check([record], ['a'])
        paused = null
      } else if (step.kind === 'let go') {
        data.residents.drop(collection)
      } else if ('at' in step) change(step.at, step.kind)
    }

    it('match the newest commit after any scans, writes and rollbacks', () => {
      const property = fc.property(fc.array(steps, { maxLength: 30 }), (list) => {
        collection = ensureCollection(data, 'test', `c${++made}`)
        paused = null
        write((unit) => [1, 2, 3, 4].forEach(() => insert(unit)))
        for (const step of list) run(step)
        scan(['a', 'b', 'c'], Infinity)
        scan(['a'], Infinity)
      })
      fc.assert(property, { numRuns: 150 })
    })
  })
