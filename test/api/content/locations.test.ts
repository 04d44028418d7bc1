import { expect } from 'chai'
import { declare, serve, type TestServer } from '../../support/server.ts'

const BERLIN = { latitude: 52.52, longitude: 13.405 }
const SUVA = { latitude: -18.14, longitude: 178.44 }

const TYPES = {
  shop: declare(
    'shop',
    {
      name: { type: 'string' },
      at: { type: 'location', required: true },
      home: { type: 'location', default: SUVA },
      branch: { type: 'component', component: 'shared.branch' },
      branches: { type: 'component', component: 'shared.branch', repeatable: true },
      zone: { type: 'dynamiczone', components: ['shared.branch'] },
    },
    { draftAndPublish: true },
  ),
  visit: declare('visit', {
    shop: { type: 'relation', relation: 'manyToOne', target: 'api::shop.shop' },
  }),
  'components/shared/branch': { attributes: { at: { type: 'location' } } },
}

describe('locations', () => {
  let server: TestServer
  let shop: string

  before(async () => {
    server = await serve('locations', { contentTypes: TYPES })
    const created = await server.post('/api/shops', {
      name: 'Shop',
      at: BERLIN,
      branch: { at: SUVA },
      branches: [{ at: BERLIN }, { at: null }],
      zone: [{ __component: 'shared.branch', at: SUVA }],
    })
    expect(created.status, created.text).to.equal(201)
    expect(created.body.data).to.deep.include({ at: BERLIN, home: SUVA })
    shop = created.body.data.documentId
  })

  after(() => server.close())

  it('appear in lists, entries, components, zones and relations as they were sent', async () => {
    const { body: listed } = await server.get('/api/shops?fields=at')
    expect(listed.data[0].at).to.deep.equal(BERLIN)
    const { body: one } = await server.get(`/api/shops/${shop}?populate=*`)
    expect(one.data.branch.at).to.deep.equal(SUVA)
    expect(one.data.branches.map(({ at }: { at: unknown }) => at)).to.deep.equal([BERLIN, null])
    expect(one.data.zone[0].at).to.deep.equal(SUVA)
    const visit = await server.post('/api/visits', { shop })
    const found = await server.get(
      `/api/visits/${visit.body.data.documentId}?populate[shop][fields]=at`,
    )
    expect(found.body.data.shop.at).to.deep.equal(BERLIN)
  })

  it('survive an update, a draft without one, and a publication', async () => {
    const { body } = await server.post('/api/shops?status=draft', { name: 'Draft' })
    const { documentId, at } = body.data
    expect(at).to.equal(null)
    const path = `/api/shops/${documentId}`
    const refused = await server.send('POST', `${path}/actions/publish`)
    expect(refused.status, refused.text).to.equal(400)
    const updated = await server.put(`${path}?status=draft`, { at: SUVA })
    expect(updated.body.data.at, updated.text).to.deep.equal(SUVA)
    const published = await server.send('POST', `${path}/actions/publish`)
    expect(published.status, published.text).to.equal(200)
    expect((await server.get(path)).body.data.at).to.deep.equal(SUVA)
    expect((await server.delete(path)).status).to.equal(204)
  })

  it('are refused with the path of the mistake', async () => {
    const { status, body } = await server.post('/api/shops', {
      at: { latitude: 91, longitude: 0 },
      branch: { at: { latitude: 0 } },
    })
    expect(status).to.equal(400)
    expect(body.error.details.errors.map(({ path }: { path: unknown }) => path)).to.deep.equal([
      ['at', 'latitude'],
      ['branch', 'at', 'longitude'],
    ])
  })

  it('are found by areas, below components and relations, and in $or and $not', async () => {
    await server.post('/api/shops', { name: 'Other', at: SUVA, branches: [{ at: SUVA }] })
    const names = async (query: string): Promise<readonly string[]> => {
      const { body, text } = await server.get(`/api/shops?sort=name&${query}`)
      expect(body.data, text).to.be.an('array')
      return body.data.map(({ name }: { name: string }) => name)
    }
    const near = (name: string, distance: number): string =>
      `filters${name}[$near][latitude]=52.5&filters${name}[$near][longitude]=13.4` +
      `&filters${name}[$near][maxDistance]=${distance}`
    const box = (name: string): string =>
      `filters${name}[$within][box][south]=-20&filters${name}[$within][box][north]=-10` +
      `&filters${name}[$within][box][west]=170&filters${name}[$within][box][east]=-170`
    expect(await names(near('[at]', 3000))).to.deep.equal(['Shop'])
    expect(await names(near('[at]', 2000))).to.deep.equal([])
    expect(await names(near('[branches][at]', 3000))).to.deep.equal(['Shop'])
    expect(await names(near('[$not][at]', 3000))).to.deep.equal(['Other'])
    expect(await names(box('[at]'))).to.deep.equal(['Other'])
    expect(await names(box('[branch][at]'))).to.deep.equal(['Shop'])
    expect(await names(`${box('[$or][0][at]')}&${near('[$or][1][at]', 3000)}`)).to.deep.equal([
      'Other',
      'Shop',
    ])
    const circle = '[$within][circle]'
    expect(
      await names(
        `filters[at]${circle}[latitude]=-17&filters[at]${circle}[longitude]=-179&filters[at]${circle}[radius]=400000`,
      ),
    ).to.deep.equal(['Other'])
    const around = Array.from({ length: 40 }, (_, index) => {
      const angle = (index / 40) * 2 * Math.PI
      const place = `filters[at][$within][polygon][${index}]`
      return `${place}[latitude]=${52 + 2 * Math.sin(angle)}&${place}[longitude]=${13 + 2 * Math.cos(angle)}`
    })
    expect(await names(around.join('&'))).to.deep.equal(['Shop'])
    const { body } = await server.get(`/api/visits?${near('[shop][at]', 3000)}`)
    expect(body.data).to.have.length(1)
  })

  it('have presence filters, and no order or comparison', async () => {
    const names = async (query: string): Promise<readonly string[]> => {
      const { body, text } = await server.get(`/api/shops?${query}`)
      expect(body.data, text).to.be.an('array')
      return body.data.map(({ name }: { name: string }) => name)
    }
    expect(await names('filters[at][$notNull]=true')).to.deep.equal(['Shop', 'Other'])
    expect(await names('filters[at][$null]=true')).to.deep.equal([])
    expect(await names('filters[branches][at][$notNull]=true')).to.deep.equal(['Shop', 'Other'])
    for (const query of [
      'filters[at]=x',
      'filters[at][$eq]=%7B%22latitude%22:1,%22longitude%22:1%7D',
      'filters[at][$in][0]=x',
      'filters[at][$gt]=1',
      'filters[at][$contains]=1',
      'filters[at][latitude]=1',
      'filters[at][$near]=1',
      'filters[at][$near][latitude]=1&filters[at][$near][longitude]=1&filters[at][$near][__proto__]=1',
      'filters[at][$within][box][south]=1',
      'sort=at',
      'sort[at]=desc',
    ]) {
      const { status, body } = await server.get(`/api/shops?${query}`)
      expect(status, query).to.equal(400)
      expect(body.error.message, query).to.match(/\bat\b/)
    }
  })
})
