import { rmSync } from 'node:fs'
import { expect } from 'chai'
import * as fc from 'fast-check'
import { MongoClient } from 'mongodb'
import { type EmbeddedEngine, startEmbedded } from '../../src/start-embedded.ts'
import { temporaryFolder } from '../contract/targets.ts'

interface Row {
  readonly _id: number
  readonly k?: unknown
  readonly g: number
  readonly h: number
}

/** More documents than the lookup needs to trust an index. */
const MOST = 60

const keys = fc.oneof(
  fc.integer({ min: 0, max: 6 }),
  fc.constantFrom<unknown>(null, undefined, 'x', [], [1, 2], [null, 'x']),
)
const rows = fc
  .array(
    fc.record({ k: keys, g: fc.integer({ min: 0, max: 1 }), h: fc.integer({ min: 0, max: 9 }) }),
    { minLength: 20, maxLength: MOST },
  )
  .map((all) =>
    all.map(({ k, ...others }, _id): Row => ({ _id, ...others, ...(k !== undefined && { k }) })),
  )

/** As the manual describes joins: the elements of a list join, and null joins null and missing. */
function joins(local: Row, foreign: Row): boolean {
  const elements = (value: unknown): readonly unknown[] =>
    Array.isArray(value) ? value : [value ?? null]
  const wanted = elements(local.k).length === 0 ? [null] : elements(local.k)
  const found = elements(foreign.k)
  return wanted.some((one) => found.includes(one))
}

describe('a lookup that runs its query for many documents', function () {
  this.timeout(60_000)
  const directory = temporaryFolder()
  let engine: EmbeddedEngine
  let client: MongoClient

  before(async () => {
    engine = await startEmbedded({ directory, durable: false })
    client = await MongoClient.connect(engine.uri)
  })
  after(async () => {
    await client.close()
    await engine.close()
    rmSync(directory, { recursive: true, force: true })
  })

  it('finds the same documents as a comparison of all pairs', async () => {
    const collection = client.db('lookups').collection<Row>('rows')
    for (const key of [{ k: 1 }, { g: 1, h: 1 }, { g: 1, k: 1 }] as const) {
      await collection.createIndex(key)
    }
    let matches = 0
    await fc.assert(
      fc.asyncProperty(rows, async (all) => {
        await collection.deleteMany({})
        await collection.insertMany([...all])
        const stages = [
          { $match: { g: 1, $expr: { $lt: ['$h', '$$h'] } } },
          { $sort: { _id: 1 } },
          { $project: { _id: 1 } },
        ]
        const lookup = {
          from: 'rows',
          localField: 'k',
          foreignField: 'k',
          let: { h: '$h' },
          pipeline: stages,
          as: 'found',
        }
        const found = await collection
          .aggregate<{ readonly found: readonly { readonly _id: number }[] }>([
            { $sort: { _id: 1 } },
            { $lookup: lookup },
          ])
          .toArray()
        const ids = found.map((one) => one.found.map(({ _id }) => _id))
        const expected = all.map((local) =>
          all
            .filter(({ g, h }) => g === 1 && h < local.h)
            .filter((foreign) => joins(local, foreign))
            .map(({ _id }) => _id),
        )
        expect(ids).to.deep.equal(expected)
        matches += ids.flat().length
      }),
      { numRuns: 40 },
    )
    expect(matches).to.be.above(100)
  })
})
