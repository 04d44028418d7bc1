import { isDeepStrictEqual } from 'node:util'
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { addAdministrator, type AdminClient, PASSWORD, signIn } from '../../support/admin-client.ts'
import { type Authenticator, type Made, newAuthenticator } from '../../support/authenticator.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const NOTE = { note: declare('note', { title: { type: 'string' } }) }
const OWN = { 'sec-fetch-site': 'same-origin' }
const KEYS = '/admin/me/passkeys'
const RIGHT = { origin: 'https://cms.example.org', rpId: 'cms.example.org' }

describe('passkeys of administrators', () => {
  let server: TestServer
  let database: MongoClient
  let ada: AdminClient
  let adaId: string
  const rows = (name: string) => database.db(server.database).collection(name)

  before(async () => {
    server = await serve('passkeys', {
      contentTypes: NOTE,
      environment: { RATE_LIMIT: 'off', PUBLIC_URL: RIGHT.origin },
    })
    database = await MongoClient.connect(server.uri)
    adaId = (await addAdministrator(server, 'Ada', ['administrator'])).id
    ada = await signIn(server, 'ada@example.org')
  })
  after(async () => {
    await database.close()
    await server.close()
  })

  const enter = (path: string, body?: object, headers: Record<string, string> = OWN) =>
    server.send('POST', path, { token: null, headers, ...(body !== undefined && { body }) })
  const asked = async (who: AdminClient): Promise<Json> => {
    const answer = await who.send('POST', `${KEYS}/options`, { currentPassword: PASSWORD })
    expect(answer.status, answer.text).to.equal(200)
    return answer.body.data
  }
  const add = async (who: AdminClient, wrong: Partial<Made> = {}, key = newAuthenticator()) => {
    const { challenge } = await asked(who)
    const response = key.add({ challenge, ...RIGHT, ...wrong })
    return { key, answer: await who.send('POST', KEYS, { name: 'Laptop', response }) }
  }
  const challenge = async (): Promise<string> =>
    (await enter('/admin/session/passkey/options')).body.data.challenge
  const signWith = async (
    key: Authenticator,
    wrong: Partial<Made> = {},
    owner = adaId,
  ): Promise<Answer> => {
    const response = key.sign({ challenge: await challenge(), ...RIGHT, ...wrong }, owner)
    return enter('/admin/session/passkey', { response })
  }
  const refused = (answer: Answer, why: string): void => {
    expect(answer.status, `${why}: ${answer.text}`).to.equal(400)
    expect(answer.headers['error-code'], why).to.equal('invalid_passkey')
    expect(answer.headers, why).to.not.have.property('set-cookie')
  }

  it('offers options bound to the host, the owner and user verification', async () => {
    const options = await asked(ada)
    expect(options.rp).to.include({ id: 'cms.example.org' })
    expect(Buffer.from(options.user.id, 'base64url').toString()).to.equal(adaId)
    expect(options.authenticatorSelection).to.include({
      residentKey: 'required',
      userVerification: 'required',
    })
    const entering = (await enter('/admin/session/passkey/options')).body.data
    expect(entering).to.include({ rpId: 'cms.example.org', userVerification: 'required' })
    expect(entering.allowCredentials ?? []).to.deep.equal([])
  })

  it('adds a key, signs in with it and lists it without secrets', async () => {
    const { key, answer } = await add(ada)
    expect(answer.status, answer.text).to.equal(201)
    const entered = await signWith(key)
    expect(entered.status, entered.text).to.equal(200)
    expect(entered.body.data.administrator.email).to.equal('ada@example.org')
    expect(entered.headers['set-cookie']?.[0]).to.include('HttpOnly')
    const listed = await ada.send('GET', KEYS)
    expect(listed.body.data[0]).to.have.all.keys('id', 'name', 'backedUp', 'createdAt', 'usedAt')
    expect(listed.text).to.not.include(key.id)
  })

  it('refuses to add a key after an invalid response of the browser', async () => {
    const before = await rows('quire_admin_passkeys').countDocuments()
    const bob = await addAdministrator(server, 'Bob', [])
    const own = await asked(await signIn(server, bob.email))
    const wrongs: Readonly<Record<string, Partial<Made>>> = {
      'another origin': { origin: 'https://evil.example' },
      'another host': { rpId: 'evil.example' },
      'no finger': { isVerified: false },
      'another type': { type: 'webauthn.get' },
      'a challenge that was made up': { challenge: 'A'.repeat(72) },
      'no challenge': { challenge: '' },
      'a challenge to sign in': { challenge: await challenge() },
      'a challenge of somebody else': { challenge: own.challenge },
    }
    for (const [why, wrong] of Object.entries(wrongs)) refused((await add(ada, wrong)).answer, why)
    for (const response of [null, 'x', {}, { id: { $ne: null } }, { id: 'a', rawId: 'a' }]) {
      const answer = await ada.send('POST', KEYS, { name: 'x', response })
      expect(answer.status, JSON.stringify(response)).to.equal(400)
    }
    expect(await rows('quire_admin_passkeys').countDocuments()).to.equal(before)
  })

  it('refuses a sign-in with an invalid response', async () => {
    const { key } = await add(ada)
    const { challenge: adding } = await asked(ada)
    const wrongs: Readonly<Record<string, Partial<Made>>> = {
      'another origin': { origin: 'https://evil.example' },
      'another host': { rpId: 'evil.example' },
      'no finger': { isVerified: false },
      'another type': { type: 'webauthn.create' },
      'a challenge that was made up': { challenge: 'A'.repeat(72) },
      'a challenge to add one': { challenge: adding },
    }
    for (const [why, wrong] of Object.entries(wrongs)) refused(await signWith(key, wrong), why)
    refused(await signWith(key, {}, 'somebody'), 'another owner')
    refused(await signWith(newAuthenticator()), 'an unknown key')
    const forged = key.sign({ challenge: await challenge(), ...RIGHT }, adaId)
    const other = newAuthenticator().sign({ challenge: await challenge(), ...RIGHT }, adaId)
    const response = { ...other, id: key.id, rawId: key.id }
    refused(await enter('/admin/session/passkey', { response }), 'the signature of another key')
    expect((await enter('/admin/session/passkey', { response: forged })).status).to.equal(200)
    const from = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    expect((await enter('/admin/session/passkey/options', undefined, from)).status).to.equal(403)
  })

  it('accepts a response once, even in concurrent requests', async () => {
    const { key } = await add(ada)
    const response = key.sign({ challenge: await challenge(), ...RIGHT }, adaId)
    const all = await Promise.all(
      [1, 2, 3, 4].map(() => enter('/admin/session/passkey', { response })),
    )
    expect(all.filter(({ status }) => status === 200)).to.have.length(1)
    for (const answer of all.filter(({ status }) => status !== 200)) refused(answer, 'again')
  })

  it('detects copied keys by their counters', async () => {
    const { key } = await add(ada)
    expect((await signWith(key, { counter: 5 })).status).to.equal(200)
    refused(await signWith(key, { counter: 5 }), 'the same count')
    refused(await signWith(key, { counter: 4 }), 'a lower one')
    expect((await signWith(key, { counter: 6 })).status).to.equal(200)
  })

  it('requires the password to add a key, and adds a key once', async () => {
    for (const body of [{}, { currentPassword: 'not that one' }]) {
      const answer = await ada.send('POST', `${KEYS}/options`, body)
      expect(answer.headers['error-code']).to.equal('wrong_password')
    }
    const { key, answer } = await add(ada)
    expect(answer.status).to.equal(201)
    const again = await add(ada, {}, key)
    refused(again.answer, 'a key that is known')
  })

  it('allows only the owner to rename and delete a key', async () => {
    const { key, answer } = await add(ada)
    const path = `${KEYS}/${answer.body.data.id}`
    await addAdministrator(server, 'Eve', ['administrator'])
    const eve = await signIn(server, 'eve@example.org')
    expect((await eve.send('PUT', path, { name: 'Mine' })).status).to.equal(404)
    expect((await eve.send('DELETE', path)).status).to.equal(404)
    expect((await eve.send('GET', KEYS)).body.data).to.deep.equal([])
    expect((await ada.send('PUT', path, { name: 'Desk' })).body.data.name).to.equal('Desk')
    expect((await ada.send('DELETE', path)).status).to.equal(204)
    refused(await signWith(key), 'removed')
    expect((await server.send('GET', KEYS)).status).to.equal(404) // root
  })

  it('limits the keys to twenty', async () => {
    const many = await addAdministrator(server, 'Many', [])
    const client = await signIn(server, many.email)
    const stored = Array.from({ length: 19 }, (_, at) => ({
      id: `key ${at}`,
      administrator: many.id,
      credential: `of-a-test-${at}`,
      transports: [],
    }))
    await rows('quire_admin_passkeys').insertMany(stored)
    expect((await add(client)).answer.status).to.equal(201)
    expect((await add(client)).answer.status).to.equal(400)
  })

  it('removes the keys after a password reset by an administrator or a link, and with the account', async () => {
    const carol = await addAdministrator(server, 'Carol', ['editor'])
    const own = async () => (await add(await signIn(server, carol.email))).key
    const first = await own()
    const client = await signIn(server, carol.email)
    const change = { currentPassword: PASSWORD, password: 'another password' }
    expect((await client.send('POST', '/admin/me/password', change)).status).to.equal(204)
    expect((await signWith(first, {}, carol.id)).status).to.equal(200) // her own change keeps the key
    const body = { password: PASSWORD }
    await server.send('PUT', `/admin/administrators/${carol.id}`, { body })
    refused(await signWith(first, {}, carol.id), 'a new password')
    const second = await own()
    const { link } = (await server.send('POST', `/admin/administrators/${carol.id}/reset`)).body
      .data
    const token = String(link).split('token=')[1]
    expect((await enter('/admin/reset-password', { token, password: PASSWORD })).status).to.equal(
      200,
    )
    refused(await signWith(second, {}, carol.id), 'a link')
    const third = await own()
    await server.send('DELETE', `/admin/administrators/${carol.id}`)
    refused(await signWith(third, {}, carol.id), 'gone')
    expect(await rows('quire_admin_passkeys').countDocuments({ administrator: carol.id })).to.equal(
      0,
    )
  })

  it('refuses to add a key with a session or a challenge from before a password change', async () => {
    const { id, email } = await addAdministrator(server, 'Dana', ['editor'])
    const client = await signIn(server, email)
    const respond = async (given: Json, key = newAuthenticator()) => {
      const response = key.add({ challenge: given.challenge, ...RIGHT })
      return client.send('POST', KEYS, { name: 'Late', response })
    }
    const before = await asked(client)
    const change = { currentPassword: PASSWORD, password: 'another password' }
    expect((await client.send('POST', '/admin/me/password', change)).status).to.equal(204)
    refused(await respond(before), 'a challenge for the former password')
    const back = { currentPassword: 'another password', password: PASSWORD }
    expect((await client.send('POST', '/admin/me/password', back)).status).to.equal(204)
    const late = await asked(client)
    // Another process sets a password; this process does not know it yet.
    await rows('quire_admins').updateOne({ email }, { $inc: { epoch: 1 } })
    expect((await respond(late)).status).to.equal(401)
    expect(await rows('quire_admin_passkeys').countDocuments({ administrator: id })).to.equal(0)
  })

  it('stores no data for clients that only request options', async () => {
    const before = await rows('quire_admin_challenges').countDocuments()
    for (let time = 0; time < 5; time += 1) await challenge()
    expect(await rows('quire_admin_challenges').countDocuments()).to.equal(before)
  })

  it('records keys, sign-ins and failed sign-ins in the audit', async () => {
    const { key } = await add(ada)
    await signWith(key)
    await signWith(key, { isVerified: false })
    await signWith(newAuthenticator())
    // Commits are numbered after the requests.
    await until(async () => {
      const { data } = (await server.send('GET', '/admin/audit?pagination[pageSize]=4')).body
      const noted = data.map(({ items }: Json) => `${items[0].type} ${items[0].documentId}`)
      return isDeepStrictEqual(noted, [
        'admin::failed-sign-in unknown',
        `admin::failed-sign-in ${adaId}`,
        `admin::session ${adaId}`,
        `admin::user ${adaId}`,
      ])
    }, 10_000)
  })

  it('logs keys as changes of their owner', async () => {
    const { answer } = await add(ada)
    await ada.send('DELETE', `${KEYS}/${answer.body.data.id}`)
    const rowsOfLog = await rows('quire_commits').find({ 'items.documentId': adaId }).toArray()
    expect(rowsOfLog.length).to.be.above(1)
  })
})

describe('passkeys on an unsuitable host', () => {
  it('offers no passkeys and no routes', async () => {
    const server = await serve('no_passkeys', {
      contentTypes: NOTE,
      environment: { RATE_LIMIT: 'off', PUBLIC_URL: 'https://192.0.2.1' },
    })
    try {
      const start = await server.send('GET', '/admin/start', { token: null })
      expect(start.body.data.passkeys).to.equal(false)
      for (const path of ['/admin/session/passkey/options', '/admin/session/passkey']) {
        const response = newAuthenticator().sign({ challenge: '', origin: '', rpId: '' }, 'x')
        const body = path.endsWith('options') ? {} : { body: { response } }
        const answer = await server.send('POST', path, { token: null, headers: OWN, ...body })
        expect(answer.status, path).to.equal(404)
      }
    } finally {
      await server.close()
    }
  })
})
