import { expect } from 'chai'
import { MongoServerError } from 'mongodb'
import { NotImplementedError } from '../../../src/errors.ts'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { parseServerVersion } from '../../../src/mongo/connection/server-version.ts'
import { assertJoinable, findUnjoinable } from '../../../src/mongo/connection/sharded-joins.ts'

/** A deployment whose collections `a` and `c` are sharded, and which has no `gone`. */
function deployment(hello: object): Database {
  return {
    hello: () => Promise.resolve(hello),
    command: ({ collStats }: { readonly collStats: string }) =>
      collStats === 'gone'
        ? Promise.reject(new MongoServerError({ message: 'gone', code: 26 }))
        : Promise.resolve({ sharded: collStats === 'a' || collStats === 'c' }),
  } as unknown as Database // what is asked of it
}

const ALL = ['a', 'b', 'c', 'gone']

describe('findUnjoinable', () => {
  const find = (hello: object, version: string) =>
    findUnjoinable(deployment(hello), parseServerVersion(version), ALL)

  it('names sharded collections on mongos before 5.1, and nothing elsewhere', async () => {
    expect(await find({ msg: 'isdbgrid' }, '5.0.9')).to.deep.equal(['a', 'c'])
    expect(await find({ msg: 'isdbgrid' }, '5.1.0')).to.deep.equal([])
    expect(await find({ setName: 'rs0' }, '5.0.9')).to.deep.equal([])
  })
})

describe('assertJoinable', () => {
  const unjoinable = new Set(['a'])

  it('refuses a look into such a collection, however deep', () => {
    const look = { $lookup: { from: 'a', as: 'x' } }
    const within = { $lookup: { from: 'b', as: 'y', pipeline: [{ $match: {} }, look] } }
    for (const stages of [[look], [{ $match: {} }, look], [within]]) {
      expect(() => assertJoinable({ unjoinable }, stages)).to.throw(NotImplementedError, /5\.1/)
      assertJoinable({ unjoinable: new Set() }, stages)
    }
  })

  it('lets through what looks elsewhere', () => {
    assertJoinable({ unjoinable }, [{ $match: { from: 'a' } }, { $lookup: { from: 'b', as: 'x' } }])
  })
})
