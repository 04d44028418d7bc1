import { serializeQuery } from '@quire/client/serialize-query'
import { expect } from 'chai'
import qs from 'qs'

describe('serializeQuery', () => {
  it('is parsed by the server into the same tree', () => {
    const query = {
      filters: { $and: [{ title: { $containsi: 'a & b = ü [c]' } }, { views: { $gte: 3 } }] },
      sort: ['title:asc', 'id:desc'],
      pagination: { pageSize: 25, withCount: false },
    }
    expect(qs.parse(serializeQuery(query))).to.deep.equal({
      filters: { $and: [{ title: { $containsi: 'a & b = ü [c]' } }, { views: { $gte: '3' } }] },
      sort: ['title:asc', 'id:desc'],
      pagination: { pageSize: '25', withCount: 'false' },
    })
  })

  it('returns an empty string for an empty tree', () => {
    expect(serializeQuery({ locale: undefined, filters: {} })).to.equal('')
  })

  it('writes dates as ISO texts and comparisons with null as `$null`', () => {
    const query = {
      filters: { at: { $lt: new Date(0) }, a: null, b: { $eq: null }, c: { $ne: null } },
    }
    expect(qs.parse(serializeQuery(query))).to.deep.equal({
      filters: {
        at: { $lt: '1970-01-01T00:00:00.000Z' },
        a: { $null: 'true' },
        b: { $null: 'true' },
        c: { $notNull: 'true' },
      },
    })
  })
})
