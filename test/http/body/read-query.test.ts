import { expect } from 'chai'
import { readClosedQuery, readQuery } from '../../../src/http/body/read-request.ts'

const INHERITED = Object.getOwnPropertyNames(Object.prototype)

describe('inherited names in a query string', () => {
  for (const name of INHERITED) {
    for (const [operand, path] of [
      ['filters[at][$near][latitude]=1&filters[at][$near]', 'filters[at][$near]'],
      ['filters[$or][0][at][$within][box]', 'filters[$or][0][at][$within][box]'],
      ['filters%5Bat%5D%5B$within%5D', 'filters[at][$within]'],
      ['search', 'search'],
      ['filters', 'filters'],
      ['filters[$and][0]', 'filters[$and][0]'],
      ['filters[tag]', 'filters[tag]'],
      ['sort', 'sort'],
      ['sort[0]', 'sort[0]'],
      ['fields', 'fields'],
      ['populate', 'populate'],
      ['populate%5Btag%5D[filters]', 'populate[tag][filters]'],
      ['pagination', 'pagination'],
    ] as const) {
      it(`refuses ${name} in ${operand} with its path`, () => {
        for (const suffix of ['', '[a]', '[a][b]']) {
          expect(() => readQuery(`${operand}[${name}]${suffix}=1`)).to.throw(
            `${path}[${name}]: is not known`,
          )
        }
      })
    }

    it(`refuses the parameter ${name} if the parameters are a closed list`, () => {
      expect(() => readClosedQuery(`a=1&${name}=1`)).to.throw(`${name}: is not known`)
      expect(() => readClosedQuery(`${name}[a]=1`)).to.throw(`${name}: is not known`)
    })

    it(`ignores ${name} as an unknown parameter`, () => {
      expect(readQuery(`${name}=1&${name}[a]=1&other[${name}]=1`)).to.deep.equal({})
      expect(readQuery(`search=${name}&fields=${name}`)).to.deep.equal({
        search: name,
        fields: name,
      })
    })
  }

  it('does not look at values', () => {
    expect(readClosedQuery('filters[at][$eq]=[$near][__proto__]')).to.deep.equal({
      filters: { at: { $eq: '[$near][__proto__]' } },
    })
  })
})
