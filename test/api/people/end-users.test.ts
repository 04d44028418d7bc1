import { expect } from 'chai'
import { declare, type Json, serve, type TestServer } from '../../support/server.ts'

const USER = 'plugin::users-permissions.user'

describe('end users over HTTP', () => {
  let server: TestServer
  const jwts: Record<string, string> = {}
  const users: Record<string, Json> = {}

  before(async () => {
    server = await serve('end_users', {
      contentTypes: {
        note: declare('note', {
          text: { type: 'string' },
          author: { type: 'relation', relation: 'manyToOne', target: USER },
          readers: { type: 'relation', relation: 'oneToMany', target: USER },
          by: { type: 'component', component: 'shared.by' },
        }),
        'components/shared/by': {
          info: { displayName: 'by' },
          attributes: { user: { type: 'relation', relation: 'oneToOne', target: USER } },
        },
      },
      environment: { TRUST_PROXY: '1' },
    })
    for (const name of ['ann', 'bob']) {
      const body = { username: name, email: `${name}@example.org`, password: `secret of ${name}` }
      const answer = await server.send('POST', '/api/auth/local/register', { body, token: null })
      expect(answer.status, answer.text).to.equal(200)
      jwts[name] = answer.body.jwt
      users[name] = answer.body.user
    }
    for (const [text, author] of [
      ['first', users['ann'].documentId],
      ['second', users['bob'].id],
    ]) {
      const readers = [users['bob'].documentId, users['ann'].documentId]
      const answer = await server.post('/api/notes', { text, author, readers })
      expect(answer.status, answer.text).to.equal(201)
    }
  })
  after(() => server.close())

  const texts = async (query: string, token?: string): Promise<Json> => {
    const answer = await server.get(`/api/notes?${query}`, token === undefined ? {} : { token })
    return answer.status === 200
      ? answer.body.data.map(({ text }: Json) => text)
      : answer.body.error.message
  }

  it('ends the tokens of a user that is blocked, also after the end of the block', async () => {
    const body = { username: 'eve', email: 'eve@example.org', password: 'secret of eve' }
    const { jwt, user } = (
      await server.send('POST', '/api/auth/local/register', { body, token: null })
    ).body
    const me = async (): Promise<number> =>
      (await server.get('/api/users/me', { token: jwt })).status
    expect(await me()).not.to.equal(401)
    for (const blocked of [true, false]) {
      await server.send('PUT', `/api/users/${user.id}`, { body: { blocked } })
      expect(await me()).to.equal(401)
    }
    const login = { body: { identifier: 'eve', password: body.password }, token: null }
    expect((await server.send('POST', '/api/auth/local', login)).status).to.equal(200)
  })

  it('refuses NUL in the texts of an account', async () => {
    const account = { username: 'nul', email: 'nul@example.org', password: 'secret of nul' }
    for (const [key, path] of [
      ['username', '/api/auth/local/register'],
      ['password', '/api/auth/local/register'],
      ['username', '/api/users'],
    ] as const) {
      const body = { ...account, ...(path === '/api/users' && { role: 1 }), [key]: 'abcdef\0g' }
      const answer = await server.send('POST', path, { body })
      expect(answer.status, answer.text).to.equal(400)
      expect(answer.body.error.details.errors[0]).to.deep.include({ path: [key] })
    }
  })

  it('relates content to users: populated, filtered and in order', async () => {
    const query = 'populate[author][populate]=role&populate[readers][fields]=username&sort=text'
    const [first, second] = (await server.get(`/api/notes?${query}`)).body.data
    expect(first.author.username).to.equal('ann')
    expect(second.author.role.type).to.equal('authenticated')
    expect(first.readers.map(({ username }: Json) => username)).to.deep.equal(['bob', 'ann'])
    expect(JSON.stringify([first, second])).not.to.match(/argon2|Token|tokensFrom|permissions/)
    expect(await texts('filters[author][username]=bob')).to.deep.equal(['second'])
    expect(await texts(`filters[author]=${users['ann'].documentId}`)).to.deep.equal(['first'])
    expect(await texts('filters[author][role][type]=authenticated&sort=text')).to.deep.equal([
      'first',
      'second',
    ])
  })

  it('exposes no secret of a user through a relation', async () => {
    for (const query of [
      'filters[author][password][$startsWith]=$',
      'filters[author][resetPasswordToken][$notNull]=true',
      'sort=author.password',
      'populate[author][fields]=password',
      'populate[author][sort]=password',
      'populate[author][filters][password][$startsWith]=$',
    ]) {
      expect(await texts(query), query).to.match(
        /^(?:populate\.author\.[a-z]+: )?Invalid key \w+[^;]*$/,
      )
    }
  })

  it('shows content and relations according to the role', async () => {
    expect(await texts('', jwts['ann'])).to.equal('Forbidden')
    const permit = async (permissions: readonly string[]) => {
      const body = { permissions }
      expect((await server.send('PUT', '/admin/roles/authenticated', { body })).status).to.equal(
        200,
      )
    }
    await permit(['api::note.note.find'])
    expect(await texts('sort=text', jwts['ann'])).to.deep.equal(['first', 'second'])
    expect(await texts('filters[author][username]=ann', jwts['ann'])).to.equal('Invalid key author')
    const ann = jwts['ann'] ?? ''
    await permit(['api::note.note.find', `${USER}.find`])
    expect(await texts('filters[author][username]=ann', jwts['ann'])).to.deep.equal(['first'])
    const everything = [
      'populate=*',
      'populate=author,readers',
      'populate[author][fields]=username',
    ]
    for (const query of everything) {
      const [first] = (await server.get(`/api/notes?${query}&sort=text`, { token: ann })).body.data
      expect(first.author.username, query).to.equal('ann')
    }
    await permit(['api::note.note.find', 'api::note.note.create'])
    for (const query of everything) {
      const [first] = (await server.get(`/api/notes?${query}&sort=text`, { token: ann })).body.data
      expect(first, query).not.to.have.any.keys('author', 'readers')
    }
    const asAdministrator = await server.get('/admin/roles', { token: jwts['ann'] ?? '' })
    expect(asAdministrator.status).to.equal(403)
  })

  it('accepts relations to users only with permission to find users', async () => {
    const token = jwts['ann'] ?? ''
    const bob = users['bob']
    const create = (data: object): Promise<Json> =>
      server.post('/api/notes?populate=author,readers,by', { text: 'third', ...data }, { token })
    const forms = [{ author: bob.documentId }, { author: { connect: [bob.id] } }, { readers: [] }]
    for (const data of forms) {
      const { status, body } = await create(data)
      const [key = ''] = Object.keys(data)
      expect([status, body.error?.message]).to.deep.equal([400, `Invalid key ${key}`])
    }
    const inside = await create({ by: { user: bob.documentId } })
    expect([inside.status, inside.body.error?.message]).to.deep.equal([400, 'Invalid key user'])
    const permissions = ['find', 'create'].map((action) => `api::note.note.${action}`)
    const body = { permissions: [...permissions, `${USER}.find`] }
    await server.send('PUT', '/admin/roles/authenticated', { body })
    const unknown = await create({ author: 'zzz' })
    expect([unknown.status, unknown.body.error.message]).to.deep.equal([
      400,
      'Document with id "zzz", locale "null" not found',
    ])
    const answer = await create({
      author: { documentId: bob.documentId },
      readers: { connect: [bob.id, { id: users['ann'].id, position: { start: true } }] },
      by: { user: bob.id },
    })
    expect(answer.status, answer.text).to.equal(201)
    const { author, readers, documentId } = answer.body.data
    expect(author.username).to.equal('bob')
    expect(readers.map(({ username }: Json) => username)).to.deep.equal(['ann', 'bob'])
    const found = await server.get(
      '/api/notes?filters[by][user][username]=bob&populate[by][populate]=*',
      {
        token,
      },
    )
    expect(found.body.data.map(({ by }: Json) => by.user.username)).to.deep.equal(['bob'])
    await server.delete(`/api/notes/${documentId}`)
  })

  it('removes a deleted user from relations', async () => {
    expect((await server.delete(`/api/users/${users['bob'].id}`)).status).to.equal(200)
    const [, second] = (await server.get('/api/notes?populate=*&sort=text')).body.data
    expect(second.author).to.equal(null)
    expect(second.readers).to.have.length(1)
  })

  it('limits attempts by the address that the trusted proxy reports, not by a claimed address', async () => {
    const attempt = async (claimed: string): Promise<number> => {
      const headers = { 'x-forwarded-for': `${claimed}, 192.0.2.9` }
      const body = { identifier: `nobody ${claimed}`, password: 'wrong' }
      return (await server.send('POST', '/api/auth/local', { headers, body, token: null })).status
    }
    const statuses = []
    // The minute of the limit may end in between, which restarts the count.
    for (let index = 0; index < 21; index += 1) statuses.push(await attempt(`198.51.100.${index}`))
    expect(statuses.slice(0, 10)).to.deep.equal(Array.from({ length: 10 }, () => 400))
    expect(statuses).to.include(429)
  })
})
