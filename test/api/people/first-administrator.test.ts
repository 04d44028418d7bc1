import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { openTestDatabase } from '../../support/test-database.ts'
import { compileActions } from '../../../src/people/access/actions.ts'
import { openAdministrators } from '../../../src/people/administrators/open-administrators.ts'
import { openPasswords } from '../../../src/people/sign-in/passwords.ts'
import { isFirstWanted, signUpFirst } from '../../../src/people/administrators/sign-in.ts'
import { asAdministrator, cookieOf } from '../../support/admin-client.ts'
import { declare, serve, type TestServer } from '../../support/server.ts'

const OWN = { 'sec-fetch-site': 'same-origin' }
const ADA = { name: 'Ada', email: 'ada@example.org', password: 'correct horse battery' }

const OF_TEST = {
  secret: 'of the test',
  publicUrl: 'http://localhost:1337',
  secondFactor: 'off',
  oidc: null,
} as const

describe('the first administrator', () => {
  let server: TestServer
  before(async () => {
    server = await serve('first_admin', {
      contentTypes: { note: declare('note', { title: { type: 'string' } }) },
      environment: { RATE_LIMIT: 'off', PUBLIC_URL: 'http://cms.example.org/here' },
    })
  })
  after(() => server.close())

  const start = async () => (await server.get('/admin/start', { token: null })).body.data
  const begin = (body: object) =>
    server.send('POST', '/admin/first-administrator', { token: null, body, headers: OWN })
  const tokenOf = (link: string | null): string => link?.split('#token=')[1] ?? ''

  it('is created once by the link of the first start, and is signed in', async () => {
    expect(await start()).to.include({ firstAdministrator: true })
    const link = await server.firstStartLink()
    expect(link).to.match(/^http:\/\/cms\.example\.org\/here\/studio\/first-start#token=[\w-]{43}$/)
    const other = await server.firstStartLink()
    for (const token of ['', 'a'.repeat(43), '$ne']) {
      const answer = await begin({ ...ADA, token })
      expect(answer.status, token).to.equal(400)
    }
    expect((await begin({ ...ADA, password: 'short', token: tokenOf(link) })).status).to.equal(400)
    const answer = await begin({ ...ADA, token: tokenOf(link) })
    expect(answer.status, answer.text).to.equal(201)
    expect(answer.body.data.administrator.roles).to.deep.equal(['administrator'])
    const client = asAdministrator(server, cookieOf(answer))
    expect((await client.send('GET', '/admin/session')).status).to.equal(200)
    for (const used of [link, other]) {
      const again = { ...ADA, email: 'eve@example.org', token: tokenOf(used) }
      expect((await begin(again)).headers['error-code']).to.equal('invalid_link')
    }
    expect(await start()).to.include({ firstAdministrator: false })
    expect(await server.firstStartLink()).to.equal(null)
  })

  it('is created once when several processes use links at the same time', async () => {
    const test = await openTestDatabase('first_admin_race')
    try {
      const now = (): Date => new Date()
      const actions = compileActions({ contentTypes: new Map(), queries: new Map() })
      const passwords = openPasswords({ memoryKiB: 64, passes: 1 })
      const open = () =>
        openAdministrators({ db: test.database, actions, passwords, ...OF_TEST, now })
      const processes = await Promise.all([open(), open(), open()])
      const made = await Promise.allSettled(
        processes.map(async (context, index) => {
          const token = await context.links.make('first', null)
          const email = `n${index}@example.org`
          const device = { address: '127.0.0.1', userAgent: 'a test' }
          return signUpFirst(context, { ...ADA, email, token }, device)
        }),
      )
      expect(made.filter(({ status }) => status === 'fulfilled')).to.have.length(1)
      expect(await isFirstWanted(await open())).to.equal(false)
    } finally {
      await test.drop()
    }
  })

  it('is not created by a link that is older than an hour', async () => {
    const test = await openTestDatabase('first_admin_late')
    try {
      let at = new Date('2026-01-01T00:00:00Z')
      const actions = compileActions({ contentTypes: new Map(), queries: new Map() })
      const passwords = openPasswords({ memoryKiB: 64, passes: 1 })
      const context = await openAdministrators({
        db: test.database,
        actions,
        passwords,
        ...OF_TEST,
        now: () => at,
      })
      const token = await context.links.make('first', null)
      at = new Date('2026-01-01T01:00:00Z')
      const device = { address: '127.0.0.1', userAgent: 'a test' }
      const outcome = await signUpFirst(context, { ...ADA, token }, device).catch(
        (error: unknown) => error,
      )
      expect(outcome).to.have.property('errorCode', 'invalid_link')
    } finally {
      await test.drop()
    }
  })

  it('stores no usable part of a link in the database', async () => {
    const [{ id }] = (await server.get('/admin/administrators')).body.data
    const { link } = (await server.send('POST', `/admin/administrators/${id}/reset`)).body.data
    const client = await MongoClient.connect(server.uri)
    const rows = await client.db(server.database).collection('quire_admin_links').find().toArray()
    await client.close()
    expect(rows).to.not.deep.equal([])
    expect(JSON.stringify(rows)).to.not.include(tokenOf(link))
  })
})
