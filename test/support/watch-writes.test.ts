import { expect } from 'chai'
import type { Document } from 'mongodb'
import { watchWrites } from './watch-writes.ts'

const IN_TRANSACTION = { lsid: { id: Buffer.from('s') }, txnNumber: 1, autocommit: false }

function faultsOf(...commands: readonly Document[]): readonly string[] {
  const writes = watchWrites()
  for (const command of commands) {
    writes.observe({ name: Object.keys(command)[0] ?? '', ms: 1, shape: null, command })
  }
  return writes.faults()
}

const update = (collection: string, q: Document, more: object = {}): Document => ({
  update: collection,
  updates: [{ q, u: {}, ...more }],
})
const remove = (collection: string, q: Document, limit: number): Document => ({
  delete: collection,
  deletes: [{ q, limit }],
})
const COMMIT = { commitTransaction: 1, ...IN_TRANSACTION }

describe('watchWrites', () => {
  it('reports single writes without an exact _id', () => {
    for (const q of [
      {},
      { _id: { $gte: 'a', $lt: 'b' } },
      { _id: { $in: ['a'] } },
      { documentId: 'a' },
    ]) {
      expect(faultsOf(update('a', q)), JSON.stringify(q)).to.have.lengthOf(1)
      expect(faultsOf(remove('a', q, 1))).to.have.lengthOf(1)
      expect(faultsOf({ findAndModify: 'a', query: q })).to.have.lengthOf(1)
      expect(faultsOf(update('a', q, { multi: true }), remove('a', q, 0))).to.deep.equal([])
    }
  })

  it('accepts single writes with an exact _id, and inserts', () => {
    for (const q of [{ _id: 'a' }, { _id: { $eq: 'a' } }, { _id: 7n, claim: 'x' }]) {
      const passed = [update('a', q), remove('a', q, 1), { findAndModify: 'a', query: q }]
      expect(faultsOf(...passed, { insert: 'a', documents: [{}] })).to.deep.equal([])
    }
  })

  it('reports a write to a shared document before the last command of a transaction', () => {
    const stamp = { ...update('quire_stamps', { _id: 'access' }), ...IN_TRANSACTION }
    const other = { ...update('a', { _id: 'a' }), ...IN_TRANSACTION }
    expect(faultsOf(stamp, other, COMMIT)).to.have.lengthOf(1)
    expect(faultsOf(stamp, stamp, COMMIT)).to.have.lengthOf(1)
    expect(faultsOf(other, stamp, COMMIT)).to.deep.equal([])
    expect(faultsOf(stamp, { ...other, txnNumber: 2 }, COMMIT)).to.deep.equal([])
    expect(faultsOf(update('quire_counters', { _id: 'a' }))).to.deep.equal([])
  })
})
