import { rmSync } from 'node:fs'
import { Long } from 'bson'
import { expect } from 'chai'
import { toDocument } from '../../src/bson/values.ts'
import type { Document } from '../../src/bson/values.ts'
import type { Engine } from '../../src/request/engine.ts'
import { openStore } from '../../src/storage/store.ts'
import { temporaryFolder } from '../contract/targets.ts'
import {
  type Body,
  contentOf,
  filling,
  inTransaction,
  openEngineOn,
  row,
  run,
  SESSION,
  show,
} from './filling-engine.ts'

function update(q: Body, u: Body, multi = true): Body {
  return {
    updates: [toDocument({ q: toDocument(q), u: toDocument(u), multi })],
  }
}

const WRITES: Readonly<Record<string, readonly Body[]>> = {
  'an insert of several': [{ insert: 'a', documents: [row(20), row(21), row(22)] }],
  'an insert into a collection that is not there yet': [{ insert: 'fresh', documents: [row(1)] }],
  'an update of all': [
    {
      update: 'a',
      ...update({}, { $inc: toDocument({ n: 10 }), $set: toDocument({ more: 'x' }) }),
    },
  ],
  'an update that makes an index one over arrays': [
    { update: 'a', ...update({ _id: 3 }, { $set: toDocument({ list: [5, 6] }) }) },
  ],
  'a removal': [{ delete: 'a', deletes: [toDocument({ q: toDocument({ n: 1 }), limit: 0 })] }],
  'a retryable insert': [
    { insert: 'a', documents: [row(30)], lsid: SESSION, txnNumber: Long.fromNumber(1) },
  ],
  'a transaction over two collections': [
    { insert: 'a', documents: [row(40), row(41)], ...inTransaction(2, true) },
    { update: 'a', ...update({ n: 0 }, { $set: toDocument({ more: 1 }) }), ...inTransaction(2) },
    { update: 'b', ...update({}, { $set: toDocument({ n: 99 }) }), ...inTransaction(2) },
    { insert: 'fresh', documents: [row(1)], ...inTransaction(2) },
    { commitTransaction: 1, ...inTransaction(2) },
  ],
  'an index': [
    { createIndexes: 'a', indexes: [toDocument({ key: toDocument({ more: 1 }), name: 'more' })] },
  ],
  'an index less': [{ dropIndexes: 'a', index: 'key' }],
  'a collection': [{ create: 'fresh' }],
  'a collection less': [{ drop: 'b' }],
}

async function prepare(engine: Engine): Promise<void> {
  const rows = Array.from({ length: 5 }, (_, id) => row(id))
  await run(engine, { insert: 'a', documents: rows })
  await run(engine, { insert: 'b', documents: rows.slice(0, 3) })
  const indexes = ['key', 'tags', 'list'].map((path) =>
    toDocument({ key: toDocument({ [path]: 1 }), name: path, unique: path === 'key' }),
  )
  await run(engine, { createIndexes: 'a', indexes })
}

async function answerOf(engine: Engine, steps: readonly Body[]): Promise<Document> {
  let reply = toDocument({ ok: 1 })
  for (const step of steps) {
    reply = await run(engine, step)
    if (reply['ok'] !== 1) break
  }
  return reply
}

describe('a write that the disk takes only in part', () => {
  for (const [label, steps] of Object.entries(WRITES)) {
    it(`leaves no trace in memory or in the file: ${label}`, async () => {
      const directory = temporaryFolder()
      const store = filling(openStore({ directory, durable: false }))
      try {
        const engine = openEngineOn(store)
        await prepare(engine)
        const before = await contentOf(engine)
        let room = 0
        for (; ; room++) {
          store.room = room
          const reply = await answerOf(engine, steps)
          store.room = Infinity
          if (reply['ok'] === 1) break
          expect(reply['codeName'], show(reply)).to.equal('OutOfDiskSpace')
          expect(await contentOf(engine), `after ${room} changes`).to.deep.equal(before)
          if (room % 5 === 0)
            expect(await contentOf(openEngineOn(store)), 'a new start').to.deep.equal(before)
        }
        expect(room).to.be.greaterThan(0)
        const after = await contentOf(engine)
        expect(after).not.to.deep.equal(before)
        expect(await contentOf(openEngineOn(store)), 'a new start').to.deep.equal(after)
      } finally {
        await store.close()
        rmSync(directory, { recursive: true, force: true })
      }
    })
  }
})
