import { isDeepStrictEqual } from 'node:util'
import { expect } from 'chai'
import { MongoClient } from 'mongodb'
import { TOTP } from 'otpauth'
import {
  addAdministrator,
  type AdminClient,
  asAdministrator,
  cookieOf,
  PASSWORD,
  signIn,
} from '../../support/admin-client.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'

const NOTE = { note: declare('note', { title: { type: 'string' } }) }
const OWN = { 'sec-fetch-site': 'same-origin' }
const STEP_MS = 30_000

interface Person {
  readonly id: string
  readonly email: string
  client: AdminClient
  readonly recoveryCodes: readonly string[]
  readonly secret: string
  /** A code of an app whose clock is `offset` milliseconds off. */
  code(offset?: number): string
}

function codeOf(uri: string, offset = 0): string {
  const period = 30
  const secret = new URL(uri).searchParams.get('secret') ?? ''
  const totp = new TOTP({ secret, period })
  return totp.generate({ timestamp: Date.now() + offset })
}

describe('codes of an app for administrators', () => {
  let server: TestServer
  let database: MongoClient
  const rows = (name: string) => database.db(server.database).collection<Json>(name)
  const totps = () => rows('quire_admin_totps')

  before(async () => {
    server = await serve('totp', { contentTypes: NOTE, environment: { RATE_LIMIT: 'off' } })
    database = await MongoClient.connect(server.uri)
    await addAdministrator(server, 'Boss', ['administrator'])
  })
  after(async () => {
    await database.close()
    await server.close()
  })

  const enter = (path: string, body: object): Promise<Answer> =>
    server.send('POST', path, { token: null, headers: OWN, body })
  const enterPassword = (email: string, password = PASSWORD) =>
    enter('/admin/session', { email, password })
  const pendingOf = async (email: string): Promise<string> => {
    const answer = await enterPassword(email)
    expect(answer.status, answer.text).to.equal(202)
    return answer.body.data.pending
  }
  const enterCode = (pending: string, code: string) =>
    enter('/admin/session/code', { pending, code })
  const refused = (answer: Answer, code: string, status = 400): void => {
    expect(answer.status, answer.text).to.equal(status)
    expect(answer.headers['error-code'], answer.text).to.equal(code)
    expect(answer.headers).to.not.have.property('set-cookie')
  }
  /** Makes codes valid again, so that a test need not wait for the next step. */
  const forgetSteps = async ({ id }: { readonly id: string }): Promise<void> => {
    await totps().updateOne({ _id: id }, { $set: { lastStep: 0 } })
  }

  let people = 0
  async function enrol(roles: readonly string[] = ['editor']): Promise<Person> {
    people += 1
    const { id, email } = await addAdministrator(server, `Person${people}`, roles)
    const client = await signIn(server, email)
    const begun = await client.send('POST', '/admin/me/totp', { currentPassword: PASSWORD })
    expect(begun.status, begun.text).to.equal(201)
    const { uri, secret } = begun.body.data
    const code = codeOf(uri)
    const confirmed = await client.send('POST', '/admin/me/totp/confirm', { code })
    expect(confirmed.status, confirmed.text).to.equal(200)
    const { recoveryCodes } = confirmed.body.data
    const person = {
      id,
      email,
      client,
      recoveryCodes,
      secret,
      code: (offset = 0) => codeOf(uri, offset),
    }
    await forgetSteps(person)
    return person
  }

  it('asks for a code after the password and starts no session before it', async () => {
    const person = await enrol()
    const answer = await enterPassword(person.email)
    expect(answer.status).to.equal(202)
    expect(answer.headers).to.not.have.property('set-cookie')
    expect(answer.body.data).to.have.all.keys('pending', 'expiresAt')
    const { pending, expiresAt } = answer.body.data
    const left = new Date(expiresAt).getTime() - Date.now()
    expect(left).to.be.within(4 * 60_000, 5 * 60_000)
    const asCookie = asAdministrator(server, `quire_admin=${pending}`)
    expect((await asCookie.send('GET', '/admin/session')).status).to.equal(401)
    const bearer = await server.send('GET', '/admin/session', { token: pending })
    expect(bearer.status).to.equal(401)
    const entered = await enterCode(pending, person.code())
    expect(entered.status, entered.text).to.equal(200)
    expect(entered.body.data.administrator).to.include({ email: person.email, hasTotp: true })
    const client = asAdministrator(server, cookieOf(entered))
    expect((await client.send('GET', '/admin/session')).status).to.equal(200)
  })

  it('shows the secret once, and stores it encrypted and recovery codes hashed', async () => {
    const { id, client, secret, recoveryCodes } = await enrol()
    expect(recoveryCodes).to.have.length(10)
    const state = await client.send('GET', '/admin/me/totp')
    expect(state.body.data).to.include({ enabled: true, recoveryCodesLeft: 10 })
    const listed = await server.send('GET', '/admin/administrators')
    const stored = JSON.stringify(await totps().findOne({ _id: id }))
    for (const text of [state.text, listed.text, stored]) {
      for (const hidden of [secret, ...recoveryCodes]) expect(text).to.not.include(hidden)
    }
    expect(listed.body.data.find((one: Json) => one.id === id)).to.include({ hasTotp: true })
  })

  it('requires the password to begin and a right code to confirm', async () => {
    const { email } = await addAdministrator(server, 'Begin', ['editor'])
    const client = await signIn(server, email)
    const wrong = await client.send('POST', '/admin/me/totp', { currentPassword: 'not that one' })
    refused(wrong, 'wrong_password')
    refused(await client.send('POST', '/admin/me/totp', {}), 'invalid_payload')
    const confirm = (code: string) => client.send('POST', '/admin/me/totp/confirm', { code })
    refused(await confirm('123456'), 'invalid_code')
    const begin = () => client.send('POST', '/admin/me/totp', { currentPassword: PASSWORD })
    const first = (await begin()).body.data
    const second = (await begin()).body.data
    refused(await confirm(codeOf(second.uri, 10 * STEP_MS)), 'invalid_code')
    refused(await confirm(codeOf(first.uri)), 'invalid_code')
    expect((await enterPassword(email)).status).to.equal(200) // not confirmed yet
    expect((await confirm(codeOf(second.uri))).status).to.equal(200)
    refused(await begin(), 'totp_enabled')
    expect((await enterPassword(email)).status).to.equal(202)
  })

  it('refuses to confirm a secret that is older than ten minutes', async () => {
    const { id, email } = await addAdministrator(server, 'Late', ['editor'])
    const client = await signIn(server, email)
    const body = { currentPassword: PASSWORD }
    const { uri } = (await client.send('POST', '/admin/me/totp', body)).body.data
    const createdAt = new Date(Date.now() - 11 * 60_000)
    await totps().updateOne({ _id: id }, { $set: { createdAt } })
    const code = codeOf(uri)
    refused(await client.send('POST', '/admin/me/totp/confirm', { code }), 'invalid_code')
  })

  it('ends other sessions when codes become required', async () => {
    const { email } = await addAdministrator(server, 'Other', ['editor'])
    const [client, other] = [await signIn(server, email), await signIn(server, email)]
    const body = { currentPassword: PASSWORD }
    const { uri } = (await client.send('POST', '/admin/me/totp', body)).body.data
    const code = codeOf(uri)
    const confirmed = await client.send('POST', '/admin/me/totp/confirm', { code })
    expect(confirmed.status).to.equal(200)
    expect((await other.send('GET', '/admin/session')).status).to.equal(401)
    expect((await client.send('GET', '/admin/session')).status).to.equal(200)
    refused(await enterCode(await pendingOf(email), code), 'invalid_code') // its step is used
  })

  it('accepts a code once, even in concurrent requests', async () => {
    const person = await enrol()
    const tokens = await Promise.all([1, 2, 3, 4].map(() => pendingOf(person.email)))
    const code = person.code()
    const all = await Promise.all(tokens.map((pending) => enterCode(pending, code)))
    expect(all.filter(({ status }) => status === 200)).to.have.length(1)
    for (const answer of all.filter(({ status }) => status !== 200)) refused(answer, 'invalid_code')
    refused(await enterCode(await pendingOf(person.email), code), 'invalid_code')
  })

  it('starts one session per pending token, even with two valid codes', async () => {
    const person = await enrol()
    const pending = await pendingOf(person.email)
    const [recovery = '', another = ''] = person.recoveryCodes
    const all = await Promise.all([enterCode(pending, recovery), enterCode(pending, another)])
    expect(all.filter(({ status }) => status === 200)).to.have.length(1)
    refused(await enterCode(pending, person.code()), 'invalid_pending_sign_in')
  })

  it('refuses pending tokens of other purposes, owners and passwords', async () => {
    const [person, other] = [await enrol(), await enrol()]
    const pending = await pendingOf(person.email)
    const [, challenge = ''] = pending.split('.')
    const code = person.code()
    const options = await enter('/admin/session/passkey/options', {})
    const foreign = options.status === 200 ? String(options.body.data.challenge) : 'A'.repeat(72)
    for (const wrong of [
      '',
      'x',
      pending.slice(0, -1),
      `${person.id}.${'A'.repeat(72)}`,
      `${person.id}.${foreign}`,
      `${other.id}.${challenge}`,
    ]) {
      const answer = await enterCode(wrong, code)
      expect(answer.status, wrong).to.equal(400)
      expect(answer.headers).to.not.have.property('set-cookie')
    }
    for (const body of [{}, { pending }, { pending: { $ne: null }, code }, { pending, code: 1 }]) {
      refused(await enter('/admin/session/code', body), 'invalid_payload')
    }
    const change = { currentPassword: PASSWORD, password: 'another password' }
    expect((await person.client.send('POST', '/admin/me/password', change)).status).to.equal(204)
    refused(await enterCode(pending, person.code()), 'invalid_pending_sign_in')
  })

  it('refuses a code of a clock that is 90 seconds off', async () => {
    const person = await enrol()
    const pending = await pendingOf(person.email)
    for (const offset of [-3 * STEP_MS, 3 * STEP_MS]) {
      refused(await enterCode(pending, person.code(offset)), 'invalid_code')
    }
    expect((await enterCode(pending, person.code())).status).to.equal(200)
  })

  it('accepts each recovery code once and notes its use', async () => {
    const person = await enrol()
    const [first = ''] = person.recoveryCodes
    const all = await Promise.all(
      [first, first.toLowerCase()].map(async (code) =>
        enterCode(await pendingOf(person.email), code),
      ),
    )
    expect(all.map(({ status }) => status)).to.have.members([200, 400])
    const state = await person.client.send('GET', '/admin/me/totp')
    expect(state.body.data.recoveryCodesLeft).to.equal(9)
    await until(async () => {
      const filter = '?type=admin::recovery-code'
      const { data } = (await server.send('GET', `/admin/audit${filter}`)).body
      return data.some(
        ({ by, items }: Json) => by.id === person.id && items[0].documentId === person.id,
      )
    }, 10_000)
  })

  it('counts wrong codes of all sessions and refuses the right one after ten', async () => {
    const person = await enrol()
    const tokens = await Promise.all(Array.from({ length: 20 }, () => pendingOf(person.email)))
    const wrong = person.code(20 * STEP_MS)
    const all = await Promise.all(tokens.map((pending) => enterCode(pending, wrong)))
    expect(all.filter(({ status }) => status === 400)).to.have.length(10)
    expect(all.filter(({ status }) => status === 429)).to.have.length(10)
    const [token = ''] = tokens
    const limited = await enterCode(token, person.code())
    refused(limited, 'rate_limited', 429)
    expect(Number(limited.headers['retry-after'])).to.be.within(3_500, 3_600)
    refused(await enterCode(token, person.recoveryCodes[0] ?? ''), 'rate_limited', 429)
    await totps().updateOne({ _id: person.id }, { $set: { attemptsEndAt: new Date() } })
    expect((await enterCode(token, person.code())).status).to.equal(200)
  })

  it('does not count right codes as attempts', async () => {
    const person = await enrol()
    for (const code of person.recoveryCodes) {
      expect((await enterCode(await pendingOf(person.email), code)).status).to.equal(200)
    }
    await forgetSteps(person)
    expect((await enterCode(await pendingOf(person.email), person.code())).status).to.equal(200)
  })

  it('asks for a code after a password by link, and keeps it after a new password', async () => {
    const person = await enrol()
    const { body } = await server.send('POST', `/admin/administrators/${person.id}/reset`)
    const token = String(body.data.link).split('token=')[1]
    const chosen = await enter('/admin/reset-password', { token, password: PASSWORD })
    expect(chosen.status, chosen.text).to.equal(202)
    expect(chosen.headers).to.not.have.property('set-cookie')
    expect((await enterCode(chosen.body.data.pending, person.code())).status).to.equal(200)
    const given = { body: { password: PASSWORD } }
    await server.send('PUT', `/admin/administrators/${person.id}`, given)
    expect((await enterPassword(person.email)).status).to.equal(202)
  })

  it('requires a recent sign-in to remove codes and to renew recovery codes', async () => {
    const person = await enrol()
    const createdAt = new Date(Date.now() - 11 * 60_000)
    await rows('quire_admin_sessions').updateMany(
      { administrator: person.id },
      { $set: { createdAt } },
    )
    const remove = (client: AdminClient) => client.send('DELETE', '/admin/me/totp')
    const renew = (client: AdminClient) => client.send('POST', '/admin/me/totp/recovery-codes')
    refused(await remove(person.client), 'recent_sign_in_required', 403)
    refused(await renew(person.client), 'recent_sign_in_required', 403)
    const entered = await enterCode(await pendingOf(person.email), person.code())
    const client = asAdministrator(server, cookieOf(entered))
    const renewed = await renew(client)
    expect(renewed.status).to.equal(201)
    expect(renewed.body.data.recoveryCodes).to.have.length(10)
    const [old = ''] = person.recoveryCodes
    refused(await enterCode(await pendingOf(person.email), old), 'invalid_code')
    expect((await remove(client)).status).to.equal(204)
    expect((await remove(client)).status).to.equal(404)
    expect((await renew(client)).status).to.equal(404)
    expect((await enterPassword(person.email)).status).to.equal(200)
  })

  it('lets only administrators with the right and all permissions reset the codes of another', async () => {
    const [person, boss] = [
      await enrol(['administrator']),
      await signIn(server, 'boss@example.org'),
    ]
    const path = `/admin/administrators/${person.id}/totp`
    refused(await person.client.send('DELETE', path), 'forbidden', 403)
    const { email } = await addAdministrator(server, 'Weak', ['editor'])
    refused(await (await signIn(server, email)).send('DELETE', path), 'forbidden', 403)
    const permissions = [{ action: 'admin::administrators.reset' }]
    const role = { type: 'helpers', name: 'Helpers', permissions }
    await server.send('POST', '/admin/administrator-roles', { body: role })
    const helper = await addAdministrator(server, 'Helper', ['helpers'])
    refused(await (await signIn(server, helper.email)).send('DELETE', path), 'forbidden', 403)
    expect((await enterPassword(person.email)).status).to.equal(202)
    const pending = await pendingOf(person.email)
    const reset = await boss.send('DELETE', path)
    expect(reset.status, reset.text).to.equal(200)
    expect(reset.body.data).to.include({ id: person.id, hasTotp: false })
    expect((await boss.send('DELETE', path)).status).to.equal(404)
    refused(await enterCode(pending, person.code()), 'invalid_pending_sign_in')
    expect((await enterPassword(person.email)).status).to.equal(200)
  })

  it('deletes the secret with the administrator', async () => {
    const { id } = await enrol()
    expect((await server.send('DELETE', `/admin/administrators/${id}`)).status).to.equal(200)
    expect(await totps().countDocuments({ _id: id })).to.equal(0)
  })

  it('accepts recovery codes only while the secret cannot be decrypted', async () => {
    const person = await enrol()
    await totps().updateOne({ _id: person.id }, { $set: { secret: 'A'.repeat(64) } })
    refused(await enterCode(await pendingOf(person.email), person.code()), 'invalid_code')
    const [code = ''] = person.recoveryCodes
    expect((await enterCode(await pendingOf(person.email), code)).status).to.equal(200)
  })

  it('records failed codes as failed sign-ins and the sign-in after the code', async () => {
    const person = await enrol()
    const pending = await pendingOf(person.email)
    await enterCode(pending, person.code(20 * STEP_MS))
    await enterCode(pending, person.code())
    await until(async () => {
      const { data } = (await server.send('GET', '/admin/audit?pagination[pageSize]=2')).body
      const noted = data.map(({ items }: Json) => `${items[0].type} ${items[0].documentId}`)
      return isDeepStrictEqual(noted, [
        `admin::session ${person.id}`,
        `admin::failed-sign-in ${person.id}`,
      ])
    }, 10_000)
  })

  it('is not available to root', async () => {
    expect((await server.send('GET', '/admin/me/totp')).status).to.equal(404)
    expect((await server.send('DELETE', '/admin/me/totp')).status).to.equal(404)
  })

  it('refuses pages of other sites', async () => {
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }
    const body = { pending: 'x', code: '1' }
    const answer = await server.send('POST', '/admin/session/code', { token: null, headers, body })
    refused(answer, 'cross_site', 403)
  })
})
