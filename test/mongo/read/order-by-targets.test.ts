import { expect } from 'chai'
import { Decimal128 } from 'mongodb'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { orderTargets, targetOrderOf } from '../../../src/mongo/read/order-by-targets.ts'
import { parseQuery } from '../../../src/query/parse-query.ts'
import { compileSchema } from '../../../src/schema/compile.ts'
import { contentType } from '../../fixtures/definitions.ts'
import { rulesWith } from '../../fixtures/rules.ts'

const PLAIN = { localized: false, draftAndPublish: false }

describe('orderTargets', () => {
  it('merges groups of equal values that the database separates', async () => {
    const schema = compileSchema({
      contentTypes: [
        contentType('city', PLAIN, { price: { type: 'decimal' }, name: { type: 'string' } }),
        contentType('visit', PLAIN, {
          city: { type: 'relation', relation: 'manyToOne', target: 'api::city.city' },
        }),
      ],
      components: [],
    })
    const plan = schema.contentTypes.get('api::visit.visit')
    if (plan === undefined) throw new Error('there are no visits')
    const query = parseQuery({ sort: 'city.price,city.name' }, plan, rulesWith('en'))
    const order = targetOrderOf(query.sort)
    if (order === null) throw new Error('no target decides')
    const group = (price: string | null, name: string, ...ids: readonly string[]) => ({
      _id: { k0: price === null ? null : Decimal128.fromString(price), k1: name },
      ids,
    })
    const found = [
      group(null, 'x', 'none'),
      group('0.10', 'x', 'a', 'b'),
      group('0.1', 'x', 'c'),
      group('1E-1', 'y', 'd'),
      group('0.11', 'y', 'e'),
    ]
    const database = {
      table: () => ({ aggregate: () => Promise.resolve(found) }),
    } as unknown as Database
    const ids = found.flatMap((each) => each.ids)
    const key = { locale: '', status: 'published' } as const
    expect(await orderTargets(database, order, ids, key, query)).to.deep.equal([
      [null],
      ['none'],
      ['a', 'b', 'c'],
      ['d'],
      ['e'],
    ])
  })
})
