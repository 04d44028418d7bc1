import { expect } from 'chai'
import { declare, serve, type TestServer } from '../../support/server.ts'

const relation = (kind: string, target: string) => ({ type: 'relation', relation: kind, target })

describe('near misses in queries', () => {
  let server: TestServer

  before(async () => {
    server = await serve('near_misses', {
      contentTypes: {
        post: declare('post', {
          title: { type: 'string' },
          views: { type: 'integer' },
          seo: { type: 'component', component: 'shared.seo' },
          canaryNote: { type: 'string', private: true },
          category: relation('manyToOne', 'api::category.category'),
          canarySecret: relation('manyToOne', 'api::secret.secret'),
        }),
        category: declare('category', {
          name: { type: 'string' },
          canaryText: { type: 'string', private: true },
          canaryOwner: relation('manyToOne', 'api::secret.secret'),
        }),
        'components/shared/seo': {
          attributes: {
            description: { type: 'string' },
            canaryKey: { type: 'string', private: true },
          },
        },
        secret: declare('secret', { canaryCode: { type: 'string' } }),
      },
      permitted: ['api::post.post.find', 'api::category.category.find'],
    })
  })
  after(() => server.close())

  const messageOf = async (query: string): Promise<string> => {
    const { status, body, text } = await server.get(`/api/posts?${query}`, { token: null })
    expect([status, body.error?.name], text).to.deep.equal([400, 'ValidationError'])
    return body.error.message
  }

  const suggested: readonly (readonly [string, string])[] = [
    ['filters[titel]=a', 'title'],
    ['filters[category][nmae]=a', 'name'],
    ['filters[title][$contain]=a', '$contains'],
    ['filters[title][eq]=a', '$eq'],
    ['filters[title][$like]=a', '$contains'],
    ['filters[views][$neq]=1', '$ne'],
    ['filters[$adn][0][title]=a', '$and'],
    ['filters[category][$equ]=1', '$eq'],
    ['filters[category][$nin]=1', '$notIn'],
    ['filters[category][$neq]=1', '$ne'],
    ['filters[category][$exists]=true', '$notNull'],
    ['filters[category][$nul]=true', '$null'],
    ['filters[category][$adn][0][name]=a', '$and'],
    ['filters[category][$and][0][$noot][name]=a', '$not'],
    ['filters[seo][$nul]=true', '$null'],
    ['filters[seo][$exists]=true', '$notNull'],
    ['sort=titel', 'title'],
    ['sort=category.nam:desc', 'name'],
    ['fields=titel', 'title'],
    ['populate=catgory', 'category'],
    ['populate[catgory]=true', 'category'],
    ['populate[category][fileds]=name', 'fields'],
    ['populate[category][fields]=nmae', 'name'],
    ['populate[category][filters][nmae]=a', 'name'],
  ]
  for (const [query, name] of suggested) {
    it(`suggests ${name} for ${query}`, async () => {
      expect(await messageOf(query)).to.match(/Invalid key /)
      expect(await messageOf(query)).to.include(`; did you mean ${name}?`)
    })
  }

  const HIDDEN = ['canaryNot', 'canarySecre', 'canaryTex', 'canaryOwne', 'canaryCod', 'CANARYNOTE']
  const doors: readonly ((name: string) => string)[] = [
    (name) => `filters[${name}]=a`,
    (name) => `filters[category][${name}]=a`,
    (name) => `sort=${name}`,
    (name) => `sort=category.${name}`,
    (name) => `fields=${name}`,
    (name) => `populate=${name}`,
    (name) => `populate[${name}]=true`,
    (name) => `populate=category.${name}`,
    (name) => `populate[category][fields]=${name}`,
    (name) => `populate[category][sort]=${name}`,
    (name) => `populate[category][filters][${name}]=a`,
    (name) => `populate[category][populate]=${name}`,
  ]
  it('suggests no private attribute and no relation to an unreadable type', async () => {
    for (const door of doors) {
      for (const name of HIDDEN) {
        expect(await messageOf(door(name)), door(name)).to.not.include('did you mean')
      }
    }
  })

  it('suggests a relation to a caller with permission to read its type', async () => {
    const { body } = await server.get('/api/posts?populate=canarySecre')
    expect(body.error.message).to.equal('Invalid key canarySecre; did you mean canarySecret?')
  })

  it('suggests no name for names above 100 characters, and keeps the details of the error', async () => {
    expect(await messageOf(`sort=title${'e'.repeat(100)}`)).to.not.include('did you mean')
    const { body } = await server.get('/api/posts?sort=titel')
    expect(body.error.details).to.deep.equal({
      key: 'titel',
      path: null,
      source: 'query',
      param: 'sort',
    })
  })

  it('suggests attributes in a payload, except private ones and relations', async () => {
    const bodyMessage = async (data: object): Promise<string> => {
      const { status, body, text } = await server.post('/api/posts', data)
      expect(status, text).to.equal(400)
      return body.error.message
    }
    expect(await bodyMessage({ titel: 'a' })).to.equal('Invalid key titel; did you mean title?')
    expect(await bodyMessage({ seo: { descripton: 'a' } })).to.equal(
      'Invalid key descripton at seo; did you mean description?',
    )
    for (const data of [
      ...HIDDEN.map((name) => ({ [name]: 'a' })),
      { seo: { canaryKe: 'a' } },
      { catgory: null },
    ]) {
      expect(await bodyMessage(data), JSON.stringify(data)).to.not.include('did you mean')
    }
  })
})
