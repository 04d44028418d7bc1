import { expect } from 'chai'
import qs from 'qs'
import { toQueryString } from '../src/api/query-string.ts'

describe('toQueryString', () => {
  it('is parsed by the server into the same tree', () => {
    const query = {
      filters: { $and: [{ title: { $containsi: 'a & b = ü [c]' } }, { views: { $gte: 3 } }] },
      sort: ['title:asc', 'id:desc'],
      pagination: { pageSize: 25, withCount: false },
    }
    expect(qs.parse(toQueryString(query), { ignoreQueryPrefix: true })).to.deep.equal({
      filters: { $and: [{ title: { $containsi: 'a & b = ü [c]' } }, { views: { $gte: '3' } }] },
      sort: ['title:asc', 'id:desc'],
      pagination: { pageSize: '25', withCount: 'false' },
    })
  })

  it('returns an empty string for an empty tree', () => {
    expect(toQueryString({ locale: undefined, filters: {} })).to.equal('')
  })
})
