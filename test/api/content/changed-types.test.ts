import { expect } from 'chai'
import { openReleases, type Releases } from '../../support/releases.ts'
import { declare, type Json, type TestServer } from '../../support/server.ts'

const PART = {
  info: { displayName: 'Part' },
  attributes: { label: { type: 'string' }, value: { type: 'string' } },
}
const other = declare('other', { name: { type: 'string' } })
const relation = (kind: string) => ({
  type: 'relation',
  relation: kind,
  target: 'api::other.other',
})
const component = (more: object = {}) => ({ type: 'component', component: 'shared.part', ...more })

const world = (value: object, options: object = {}) => ({
  'components/shared/part': PART,
  other,
  thing: declare('thing', { name: { type: 'string' }, value }, options),
})

interface Case {
  readonly title: string
  readonly from: object
  readonly to: object
  /** The value before, and after where it differs. `O` is the documentId of an entry. */
  readonly values: readonly (readonly [before: unknown, after?: unknown])[]
  /** A filter that finds the first value only. Null if there is none. */
  readonly filter: string | null
  /** Sorted places of the values. */
  readonly order?: readonly number[]
}

const MANY = component({ repeatable: true })
const CASES: readonly Case[] = [
  {
    title: 'string to text',
    from: { type: 'string' },
    to: { type: 'text' },
    values: [['b'], ['a']],
    filter: 'filters[value]=b',
    order: [1, 0],
  },
  {
    title: 'text to richtext',
    from: { type: 'text' },
    to: { type: 'richtext' },
    values: [['b'], ['a']],
    filter: 'filters[value][$contains]=b',
  },
  {
    title: 'string to email, of valid addresses',
    from: { type: 'string' },
    to: { type: 'email' },
    values: [['b@example.org'], ['a@example.org']],
    filter: 'filters[value]=b@example.org',
    order: [1, 0],
  },
  {
    title: 'string to uid, of valid values',
    from: { type: 'string' },
    to: { type: 'uid' },
    values: [['b-1'], ['a-1']],
    filter: 'filters[value]=b-1',
  },
  {
    title: 'uid to string',
    from: { type: 'uid' },
    to: { type: 'string' },
    values: [['b-1'], ['a-1']],
    filter: 'filters[value]=b-1',
  },
  {
    title: 'enumeration to string',
    from: { type: 'enumeration', enum: ['a', 'b'] },
    to: { type: 'string' },
    values: [['b'], ['a']],
    filter: 'filters[value]=b',
  },
  {
    title: 'text to json',
    from: { type: 'text' },
    to: { type: 'json' },
    values: [['b'], ['a']],
    filter: 'filters[value]="b"',
  },
  {
    title: 'integer to decimal',
    from: { type: 'integer' },
    to: { type: 'decimal' },
    values: [[3], [-1], [12]],
    filter: 'filters[value]=3.0',
    order: [1, 0, 2],
  },
  {
    title: 'integer to biginteger',
    from: { type: 'integer' },
    to: { type: 'biginteger' },
    values: [
      [3, '3'],
      [-1, '-1'],
    ],
    filter: 'filters[value]=3',
    order: [1, 0],
  },
  {
    title: 'integer to float',
    from: { type: 'integer' },
    to: { type: 'float' },
    values: [[3], [-1]],
    filter: 'filters[value]=3',
    order: [1, 0],
  },
  {
    title: 'float to decimal',
    from: { type: 'float' },
    to: { type: 'decimal' },
    values: [[0.1], [0.25]],
    filter: 'filters[value]=0.1',
    order: [0, 1],
  },
  {
    title: 'decimal to float, of values that a double has',
    from: { type: 'decimal' },
    to: { type: 'float' },
    values: [[0.1], [0.25]],
    filter: 'filters[value]=0.1',
    order: [0, 1],
  },
  {
    title: 'biginteger to decimal',
    from: { type: 'biginteger' },
    to: { type: 'decimal' },
    values: [
      ['5', 5],
      ['12', 12],
    ],
    filter: 'filters[value]=5',
    order: [0, 1],
  },
  {
    title: 'biginteger to integer, of small values',
    from: { type: 'biginteger' },
    to: { type: 'integer' },
    values: [
      ['5', 5],
      ['12', 12],
    ],
    filter: 'filters[value]=5',
    order: [0, 1],
  },
  {
    title: 'date to datetime in UTC',
    from: { type: 'date' },
    to: { type: 'datetime', convert: { timeZone: 'UTC' } },
    values: [
      ['2024-03-02', '2024-03-02T00:00:00.000Z'],
      ['2024-03-01', '2024-03-01T00:00:00.000Z'],
    ],
    filter: 'filters[value]=2024-03-02T00:00:00.000Z',
    order: [1, 0],
  },
  {
    title: 'date to datetime in Berlin',
    from: { type: 'date' },
    to: { type: 'datetime', convert: { timeZone: 'Europe/Berlin' } },
    values: [
      ['2024-07-02', '2024-07-01T22:00:00.000Z'],
      ['2024-03-01', '2024-02-29T23:00:00.000Z'],
    ],
    filter: 'filters[value]=2024-07-01T22:00:00.000Z',
    order: [1, 0],
  },
  {
    title: 'datetime to date, of midnights',
    from: { type: 'datetime' },
    to: { type: 'date' },
    values: [['2024-03-02T00:00:00.000Z', '2024-03-02']],
    filter: 'filters[value]=2024-03-02',
  },
  {
    title: 'datetime to timestamp',
    from: { type: 'datetime' },
    to: { type: 'timestamp' },
    values: [['1970-01-01T00:00:00.005Z', '5']],
    filter: 'filters[value]=5',
  },
  {
    title: 'a component to a list of components',
    from: component(),
    to: MANY,
    values: [
      [{ label: 'b' }, [{ label: 'b', value: null }]],
      [{ label: 'a' }, [{ label: 'a', value: null }]],
    ],
    filter: 'filters[value][label]=b',
  },
  {
    title: 'a list of components to a component, of lists with one element',
    from: MANY,
    to: component(),
    values: [
      [[{ label: 'b' }], { label: 'b', value: null }],
      [[], null],
    ],
    filter: 'filters[value][label]=b',
  },
  {
    title: 'a relation to one to many',
    from: relation('manyToOne'),
    to: relation('manyToMany'),
    values: [['O', ['O']]],
    filter: 'filters[value][documentId]=O',
  },
  {
    title: 'a relation to many to one, of lists with one entry',
    from: relation('manyToMany'),
    to: relation('manyToOne'),
    values: [[['O'], 'O']],
    filter: 'filters[value][documentId]=O',
  },
]

describe('a new type of an attribute with values', () => {
  let releases: Releases
  const log = new WeakMap<TestServer, string>()

  beforeEach(() => {
    releases = openReleases('changed_types')
  })

  afterEach(() => releases.end())

  async function create(server: TestServer, values: readonly unknown[]) {
    const target = (await server.post('/api/others', { name: 'target' })).body.data.documentId
    log.set(server, target)
    const made: string[] = []
    for (const [place, value] of values.entries()) {
      const data = { name: `n${place}`, value: withTarget(value, target) }
      const { status, text, body } = await server.post('/api/things', data)
      expect(status, text).to.equal(201)
      made.push(body.data.documentId)
    }
    return { target, made }
  }

  for (const { title, from, to, values, filter, order } of CASES) {
    it(`keeps the values: ${title}`, async () => {
      const before = await releases.start(world(from))
      const { target, made } = await create(
        before,
        values.map(([value]) => value),
      )
      const expected = values.map(([value, after = value]) => withTarget(after, target))
      const after = await releases.start(world(to))

      const list = await after.get('/api/things?populate=*&sort=name')
      expect(list.status, list.text).to.equal(200)
      expect(list.body.data.map(({ value }: Json) => shown(value))).to.deep.equal(expected)
      if (filter !== null) {
        const found = await after.get(`/api/things?${filter.replace('O', target)}`)
        expect(found.body.data?.map(({ name }: Json) => name)).to.deep.equal(['n0'])
      }
      if (order !== undefined) {
        const sorted = await after.get('/api/things?sort=value')
        const names = sorted.body.data.map(({ name }: Json) => name)
        expect(names).to.deep.equal(order.map((place) => `n${place}`))
      }
      const write = await after.put(`/api/things/${made[0]}?populate=*`, { value: expected[0] })
      expect(write.status, write.text).to.equal(200)
      expect(shown(write.body.data.value)).to.deep.equal(expected[0])
      expect(after.takeLog()).to.deep.equal([])
    })
  }
})

function withTarget(value: unknown, target: string): unknown {
  return JSON.parse(JSON.stringify(value).replaceAll('"O"', JSON.stringify(target)))
}

/** Relations as documentIds, and components without ids. */
function shown(value: Json): unknown {
  if (Array.isArray(value)) return value.map(shown)
  if (typeof value !== 'object' || value === null) return value
  if ('documentId' in value) return value.documentId
  const { id: _id, ...rest } = value
  return rest
}
