import { expect } from 'chai'
import { shapeOf } from '../../../src/mongo/connection/query-shape.ts'

const SECRET = 'operand'

describe('shapeOf', () => {
  const rows: readonly [string, object, readonly string[], readonly string[]][] = [
    ['find', { find: 'a', filter: { title: SECRET, rank: { $gte: 4 } } }, ['rank', 'title'], []],
    [
      'find',
      {
        find: 'a',
        filter: { $and: [{ b: 1 }, { $or: [{ c: 1 }, { $nor: [{ d: SECRET }] }] }] },
        sort: { z: 1, b: -1 },
      },
      ['b', 'c', 'd'],
      ['z', 'b:desc'],
    ],
    [
      'find',
      { find: 'a', filter: { seo: { $elemMatch: { title: SECRET, $or: [{ text: SECRET }] } } } },
      ['seo.text', 'seo.title'],
      [],
    ],
    ['find', { find: 'a', filter: { seo: { $not: { $elemMatch: { t: 1 } } } } }, ['seo.t'], []],
    ['find', { find: 'a', filter: { title: { $in: [SECRET], $not: { $eq: 1 } } } }, ['title'], []],
    ['find', { find: 'a', filter: { $expr: { $eq: ['$x', SECRET] }, y: 1 } }, ['y'], []],
    ['find', { find: 'a', sort: new Map([['rank', -1]]) }, [], ['rank:desc']],
    ['find', { find: 'a' }, [], []],
    ['count', { count: 'a', query: { title: SECRET } }, ['title'], []],
    [
      'aggregate',
      {
        aggregate: 'a',
        pipeline: [
          { $match: { status: SECRET } },
          { $lookup: { from: 'b', as: 'quire_0', pipeline: [{ $match: { inner: SECRET } }] } },
          { $match: { quire_0: { $ne: [] }, title: SECRET } },
          { $sort: { 'quire_sort_0.name': 1, id: 1 } },
        ],
      },
      ['status', 'title'],
      ['id'],
    ],
  ]
  for (const [name, command, filtered, sorted] of rows) {
    it(`contains attribute names but no values: ${JSON.stringify(command)}`, () => {
      const shape = shapeOf(name, command)
      expect(shape).to.deep.equal({ collection: 'a', filtered, sorted })
      expect(JSON.stringify(shape)).to.not.include(SECRET)
    })
  }

  it('is null for commands without conditions', () => {
    for (const [name, command] of [
      ['insert', { insert: 'a', documents: [] }],
      ['getMore', { getMore: 4n, collection: 'a' }],
      ['ping', { ping: 1 }],
      ['aggregate', { aggregate: 1, pipeline: [] }],
    ] as const) {
      expect(shapeOf(name, command), name).to.equal(null)
    }
  })

  it('keeps a bounded number of names', () => {
    const filter = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`n${i}`, 1]))
    expect(shapeOf('find', { find: 'a', filter })?.filtered).to.have.length(20)
  })
})
