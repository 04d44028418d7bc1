import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { openPasswords } from '../../../src/people/sign-in/passwords.ts'
import { declare, serve, type TestServer } from '../../support/server.ts'

const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }

describe('passwords in content', () => {
  let server: TestServer
  let client: MongoClient

  before(async () => {
    server = await serve('content_passwords', {
      locales: ['fr'],
      contentTypes: {
        door: declare(
          'door',
          {
            name: { type: 'string', ...LOCALIZED },
            code: { type: 'password', minLength: 6, maxLength: 12 },
            lock: { type: 'component', component: 'shared.lock', ...LOCALIZED },
            locks: { type: 'dynamiczone', components: ['shared.lock'], ...LOCALIZED },
          },
          { draftAndPublish: true, localized: true },
        ),
        gate: declare(
          'gate',
          {
            name: { type: 'string', ...LOCALIZED },
            code: { type: 'password', required: true, maxLength: 12 },
          },
          { localized: true },
        ),
        'components/shared/lock': {
          info: { displayName: 'lock' },
          attributes: {
            label: { type: 'string' },
            pin: { type: 'password' },
            inner: { type: 'component', component: 'shared.lock', repeatable: true },
          },
        },
      },
    })
    client = await MongoClient.connect(server.uri)
  })

  after(async () => {
    await client.close()
    await server.close()
  })

  const stored = (documentId: string) =>
    client.db(server.database).collection('door_versions').find({ documentId }).toArray()

  it('stores passwords as hashes, also in components and dynamic zones', async () => {
    const lock = { pin: 'kestrel-2', inner: [{ pin: 'kestrel-3' }, { pin: 'kestrel-3' }] }
    const sent = { code: 'kestrel-1', lock, locks: [{ __component: 'shared.lock', ...lock }] }
    const answer = await server.post('/api/doors?populate=*', sent)
    expect(answer.status, answer.text).to.equal(201)
    expect(answer.text).to.not.include('kestrel').and.not.include('argon2')

    const versions = await stored(answer.body.data.documentId)
    expect(versions).to.have.length(2)
    const passwords = openPasswords()
    for (const { code, lock: held, locks } of versions) {
      expect(JSON.stringify([code, held, locks])).to.not.include('kestrel')
      expect(await passwords.verify(code, 'kestrel-1')).to.equal(true)
      expect(await passwords.verify(held.pin, 'kestrel-2')).to.equal(true)
      expect(await passwords.verify(locks[0].inner[1].pin, 'kestrel-3')).to.equal(true)
    }
  })

  it('keeps passwords when other attributes or locales are written or published', async () => {
    const created = await server.post('/api/doors?populate=lock', {
      code: 'kestrel-1',
      lock: { pin: 'kestrel-2' },
    })
    const { documentId, lock } = created.body.data
    const [before] = await stored(documentId)
    const path = `/api/doors/${documentId}`
    await server.put(path, { name: 'front', lock: { id: lock.id, label: 'top' } })
    await server.put(`${path}?locale=fr`, { name: 'devant' })
    await server.send('POST', `${path}/actions/publish?locale=*`)
    const versions = await stored(documentId)
    expect(versions).to.have.length(4)
    for (const version of versions) expect(version['code']).to.equal(before?.['code'])
    const inEnglish = versions.filter(({ locale }) => locale === 'en')
    for (const version of inEnglish) expect(version['lock'].pin).to.equal(before?.['lock'].pin)
  })

  it('changes a password by PUT, removes it by null and validates it before hashing', async () => {
    const { documentId } = (await server.post('/api/doors', { code: 'kestrel-1' })).body.data
    const path = `/api/doors/${documentId}`
    const refused = await server.put(path, { code: 'short' })
    expect(refused.body.error.message).to.equal('code must be at least 6 characters')
    expect((await server.put(path, { code: 'kestrel-4' })).status).to.equal(200)
    const passwords = openPasswords()
    for (const { code } of await stored(documentId)) {
      expect(await passwords.verify(code, 'kestrel-4')).to.equal(true)
    }
    expect((await server.put(path, { code: null })).status).to.equal(200)
    for (const { code } of await stored(documentId)) expect(code).to.equal(null)
  })

  it('copies a required password to a new locale', async () => {
    const { documentId } = (await server.post('/api/gates', { code: 'kestrel-1' })).body.data
    const begun = await server.put(`/api/gates/${documentId}?locale=fr`, { name: 'devant' })
    expect(begun.status, begun.text).to.equal(200)
    expect(
      (await server.put(`/api/gates/${documentId}?locale=fr`, { code: null })).status,
    ).to.equal(400)
  })
})
