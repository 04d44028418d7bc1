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

    it(`omits ${name} elsewhere, as the reference does`, () => {
      expect(readQuery(`filters[${name}][x]=1&${name}=1`)).to.deep.equal({})
      expect(readQuery(`search=${name}`)).to.deep.equal({ search: name })
    })
  }

  it('does not look at values', () => {
    expect(readClosedQuery('filters[at][$eq]=[$near][__proto__]')).to.deep.equal({
      filters: { at: { $eq: '[$near][__proto__]' } },
    })
  })
})
