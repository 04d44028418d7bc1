import { expect } from 'chai'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { addEntry, addMember, type Member, setRules } from './rules-world.ts'

const POINT = { latitude: 10, longitude: 20 }
const near = (name: string): string =>
  `filters[${name}][$near][latitude]=10&filters[${name}][$near][longitude]=20`

const SPOT = declare('spot', {
  title: { type: 'string' },
  at: { type: 'location' },
  home: { type: 'location' },
  owner: { type: 'relation', relation: 'manyToOne', target: 'plugin::users-permissions.user' },
})

const PATHS = [
  `spots?${near('at')}&sort=at:near&fields=title`,
  `spots?${near('at')}&sort=at:near&fields=title&pagination[pageSize]=1`,
  `spots?${near('at')}&sort=at:near&fields=title&pagination[cursor]=&pagination[pageSize]=1`,
  `spots?${near('at')}&filters[at][$near][maxDistance]=200000&sort=at:near`,
  'spots?filters[at][$within][box][south]=9&filters[at][$within][box][west]=19&filters[at][$within][box][north]=12&filters[at][$within][box][east]=21',
]

describe('places under rules', () => {
  let server: TestServer
  let ann: Member
  let bob: Member

  before(async () => {
    server = await serve('rules_places', { contentTypes: { spot: SPOT } })
    ann = await addMember(server, 'ann')
    bob = await addMember(server, 'bob')
    for (const [title, latitude] of [
      ['close', 10.5],
      ['far', 14],
    ] as const) {
      const at = { latitude, longitude: 20 }
      await addEntry(server, '/api/spots', { title, at, home: POINT, owner: ann.documentId })
    }
    const fields = ['title', 'at']
    await setRules(
      server,
      'authenticated',
      [{ action: 'api::spot.spot.find', where: { owner: '$user' }, fields }],
      [],
    )
  })

  after(() => server.close())

  const asAnn = (path: string) => server.get(`/api/${path}`, { token: ann.token })

  it('returns the same distances, counts and cursors whatever hidden entries there are', async () => {
    const read = async (): Promise<readonly string[]> => {
      const answers = await Promise.all(PATHS.map(asAnn))
      for (const { status, text } of answers) expect(status, text).to.equal(200)
      return answers.map(({ text }) => text)
    }
    const before = await read()
    const [first = ''] = before
    expect(JSON.parse(first).data.map(({ title }: Json) => title)).to.deep.equal(['close', 'far'])
    for (const latitude of [10, 10.1, 10.5, 11, 14]) {
      const at = { latitude, longitude: 20 }
      await addEntry(server, '/api/spots', { title: 'canary', at, owner: bob.documentId })
    }
    expect(await read()).to.deep.equal(before)
    const all = await server.get(`/api/${PATHS[0]}`)
    expect(all.body.data).to.have.length(7)
  })

  it('refuses a hidden location as it refuses other hidden attributes', async () => {
    for (const query of [
      near('home'),
      `${near('home')}&sort=home:near`,
      `${near('at')}&sort=home:near`,
      'filters[home][$within][circle][latitude]=1',
    ]) {
      const hidden = await asAnn(`spots?${query}`)
      expect([hidden.status, hidden.body.error.message], query).to.deep.equal([
        400,
        'Invalid key home',
      ])
    }
  })

  it('refuses a caller without the permission to read', async () => {
    const { status } = await server.get(`/api/${PATHS[0]}`, { token: null })
    expect(status).to.equal(403)
  })
})
