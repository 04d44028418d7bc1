import { expect } from 'chai'
import { ValidationError } from '../../src/base/errors.ts'
import { parseFilters } from '../../src/query/parse-filters.ts'
import { planOf } from '../fixtures/plans.ts'
import { rulesWith } from '../fixtures/rules.ts'

const plan = planOf()

function areaOf(condition: object): unknown {
  const filter = parseFilters({ location: condition }, plan, rulesWith('en'))
  return filter?.kind === 'compare' ? filter.operand : filter
}

function refusalOf(filters: object): string {
  try {
    parseFilters(filters, plan, rulesWith('en'))
  } catch (error) {
    if (error instanceof ValidationError) return error.message
    throw error
  }
  throw new Error('It was accepted')
}

const point = (latitude: string, longitude: string): object => ({ latitude, longitude })
const SQUARE = [point('0', '0'), point('0', '1'), point('1', '1'), point('1', '0')]
const POINTS = SQUARE.map((one) =>
  Object.fromEntries(Object.entries(one).map(([name, text]) => [name, Number(text)])),
)

describe('an area in filters', () => {
  const accepted: readonly [string, object, unknown][] = [
    [
      'a distance',
      { $near: { ...point('52.5', '13'), maxDistance: '1e3' } },
      { kind: 'circle', center: { latitude: 52.5, longitude: 13 }, radius: 1000 },
    ],
    [
      'no distance',
      { $near: point('52.5', '13') },
      { kind: 'everywhere', center: { latitude: 52.5, longitude: 13 } },
    ],
    [
      'a circle',
      { $within: { circle: { ...point('-90', '-180'), radius: '5' } } },
      { kind: 'circle', center: { latitude: -90, longitude: -180 }, radius: 5 },
    ],
    [
      'a box across 180°',
      { $within: { box: { south: '-20', west: '170', north: '-10', east: '-170' } } },
      { kind: 'box', south: -20, west: 170, north: -10, east: -170 },
    ],
    ['a polygon', { $within: { polygon: SQUARE } }, { kind: 'polygon', points: POINTS }],
    [
      'a closed polygon',
      { $within: { polygon: [...SQUARE, SQUARE[0]] } },
      { kind: 'polygon', points: POINTS },
    ],
  ]
  for (const [name, condition, area] of accepted) {
    it(`accepts ${name}`, () => {
      expect(areaOf(condition)).to.deep.equal(area)
    })
  }

  const box = { south: '0', west: '0', north: '1', east: '1' }
  const refused: readonly [object, string][] = [
    [{ $near: 'x' }, '[$near]: expected latitude, longitude, maxDistance'],
    [{ $near: [point('1', '1')] }, '[$near]: expected latitude, longitude, maxDistance'],
    [{ $near: { latitude: '1' } }, '[$near][longitude]: is required'],
    [{ $near: point('x', '1') }, '[$near][latitude]: expected a number'],
    [{ $near: { latitude: ['1'], longitude: '1' } }, '[$near][latitude]: expected a number'],
    [{ $near: point('90.1', '1') }, '[$near][latitude]: must be between -90 and 90'],
    [{ $near: point('1', '-181') }, '[$near][longitude]: must be between -180 and 180'],
    [
      { $near: { ...point('1', '1'), maxDistance: '0' } },
      '[$near][maxDistance]: must be greater than 0',
    ],
    [
      { $near: { ...point('1', '1'), $gt: '0' } },
      '[$near][$gt]: is not known; expected latitude, longitude, maxDistance',
    ],
    [{ $within: {} }, '[$within]: expected one of box, circle and polygon'],
    [{ $within: { box, polygon: SQUARE } }, '[$within]: expected one of box, circle and polygon'],
    [{ $within: { box: { ...box, north: '-1' } } }, '[box][south]: must not be greater than north'],
    [{ $within: { circle: point('1', '1') } }, '[circle][radius]: is required'],
    [{ $within: { polygon: SQUARE.slice(0, 2) } }, '[polygon]: at least 3 points'],
    [{ $within: { polygon: {} } }, '[polygon]: expected a list of points'],
    [
      { $within: { polygon: Array.from({ length: 101 }, () => SQUARE[0]) } },
      '[polygon]: at most 100 points',
    ],
    [{ $within: { polygon: [...SQUARE, point('2', 'x')] } }, '[polygon][4][longitude]'],
    [
      { $within: { polygon: [SQUARE[0], SQUARE[2], SQUARE[1], SQUARE[3]] } },
      '[polygon]: two edges cross or touch each other',
    ],
    [
      { $within: { polygon: [SQUARE[0], SQUARE[1], SQUARE[1], SQUARE[2]] } },
      '[polygon]: two edges cross or touch each other',
    ],
    [
      { $within: { polygon: [point('0', '0'), point('0', '2'), point('0', '1')] } },
      '[polygon]: two edges cross or touch each other',
    ],
  ]
  for (const [condition, message] of refused) {
    it(`refuses ${JSON.stringify(condition).slice(0, 70)} with its path`, () => {
      const refusal = refusalOf({ location: condition })
      expect(refusal).to.include(message)
      expect(refusal).to.match(/^filters\[location\]\[\$(?:near|within)\]/)
    })
  }

  it('belongs to attributes of type location only', () => {
    expect(refusalOf({ json: { $near: point('1', '1') } })).to.include('json')
    expect(refusalOf({ string: { $within: { box } } })).to.include('string')
    expect(refusalOf({ location: { $eq: 'x' } })).to.equal(
      'filters[location][$eq]: location attributes have no $eq',
    )
  })

  it('counts as ten conditions', () => {
    const near = { location: { $near: { ...point('1', '1'), maxDistance: '1' } } }
    const some = (count: number): object => ({ $or: Array.from({ length: count }, () => near) })
    expect(parseFilters(some(20), plan, rulesWith('en'))).to.have.property('kind', 'any')
    expect(refusalOf(some(21))).to.equal('filters hold more than 200 conditions')
  })
})
