import { expect } from 'chai'
import qs from 'qs'
import { toQueryString } from '../src/api/query-string.ts'

describe('toQueryString', () => {
  it('is read by the server as it was meant', () => {
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

  it('is empty for nothing', () => {
    expect(toQueryString({ locale: undefined, filters: {} })).to.equal('')
  })
})
