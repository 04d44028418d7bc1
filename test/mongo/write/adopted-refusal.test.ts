import { expect } from 'chai'
import { MongoServerError } from 'mongodb'
import { ValidationError } from '../../../src/base/errors.ts'
import type { Database } from '../../../src/mongo/connection/database.ts'
import type { AdoptedType } from '../../../src/mongo/versions/adopted-expression.ts'
import { unlessRefused } from '../../../src/mongo/write/adopted-refusal.ts'

describe('unlessRefused', () => {
  it('reports a taken value also if the indexes cannot be listed', async () => {
    const unauthorized = new MongoServerError({ message: 'not authorized', code: 13 })
    const database = {
      collection: () => ({ indexes: () => Promise.reject(unauthorized) }),
    } as unknown as Database
    const adopted = { pathOf: String }
    const plan = { collectionName: 'orders', attributes: new Map(), adopted }
    // As mongos reports it, without `keyPattern`.
    const message =
      'E11000 duplicate key error collection: shop.orders index: one dup key: { n: 1 }'
    const taken = new MongoServerError({ message, code: 11000 })
    const of = { database, plan: plan as unknown as AdoptedType, values: {} }
    const error: unknown = await unlessRefused(of, () => Promise.reject(taken)).catch(
      (reason: unknown) => reason,
    )
    expect(error).to.be.instanceOf(ValidationError)
    expect(error).to.have.property('errorCode', 'value_not_unique')
  })
})
