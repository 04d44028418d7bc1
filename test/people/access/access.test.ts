import { expect } from 'chai'
import { type Access, openAccess } from '../../../src/people/access/access.ts'
import { compileActions } from '../../../src/people/access/actions.ts'
import { may } from '../../../src/people/access/permissions.ts'
import { UnauthorizedError } from '../../../src/base/errors.ts'
import type { Database } from '../../../src/mongo/connection/database.ts'
import { openTestDatabase } from '../../support/test-database.ts'
import { sampleSchema } from './sample-schema.ts'

const actions = compileActions(sampleSchema())
const FIND = 'api::article.article.find'
const ROOT_TOKEN = 'root-token-of-the-test'

/** A clock that only moves when `pass` is called. */
function standingClock() {
  let ms = Date.UTC(2026, 0, 1)
  return { now: () => new Date(ms), pass: (by: number) => void (ms += by) }
}

/** Wraps the database and counts the calls of collection methods. */
function counting(database: Database): { counted: Database; calls: () => number } {
  let calls = 0
  const countedOf =
    (source: Database): Database['collection'] =>
    (name) =>
      new Proxy(source.collection(name), {
        get: (target, key) => {
          const member: unknown = Reflect.get(target, key)
          if (typeof member !== 'function') return member
          calls += 1
          return member.bind(target)
        },
      }) as never
  const majority = { ...database.majority, collection: countedOf(database.majority) }
  const counted = { ...database, collection: countedOf(database), majority }
  return { counted, calls: () => calls }
}

const failure = async (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

describe('openAccess', () => {
  let test: Awaited<ReturnType<typeof openTestDatabase>>
  const clock = standingClock()
  const open = (): Promise<Access> =>
    openAccess(test.database, actions, { rootApiToken: ROOT_TOKEN, now: clock.now })
  let here: Access
  let there: Access

  before(async () => {
    test = await openTestDatabase('access')
    const opened = await Promise.all(Array.from({ length: 10 }, open))
    const [first, second] = opened
    if (first === undefined || second === undefined) throw new Error('not opened')
    here = first
    there = second
  })
  after(() => test.drop())

  it('creates each role once when ten processes start together', async () => {
    const roles = await here.roles.list()
    expect(roles.map(({ id, type, name }) => [id, type, name])).to.deep.equal([
      [1, 'authenticated', 'Authenticated'],
      [2, 'public', 'Public'],
    ])
  })

  it('treats a missing or malformed header as anonymous', async () => {
    for (const header of [
      undefined,
      '',
      ' ',
      'Bearer',
      'Bearer ',
      'Basic x',
      'deadbeef',
      'Token x',
      'Bearer a b',
      ROOT_TOKEN,
    ]) {
      const principal = await here.principalOf(header)
      expect(principal.kind, String(header)).to.equal('anonymous')
      expect(may(principal, FIND)).to.equal(false)
    }
  })

  it('refuses every unknown bearer token with the same error', async () => {
    const { accessKey } = await here.apiTokens.create({ name: 'near', type: 'full-access' })
    const wrong = `${accessKey.slice(0, -1)}${accessKey.endsWith('0') ? '1' : '0'}`
    for (const credential of [
      'x',
      'a.b.c',
      '__proto__',
      'f'.repeat(256),
      wrong,
      accessKey.toUpperCase(),
      accessKey.slice(1),
      `${ROOT_TOKEN}x`,
      '{"$gt":""}',
    ]) {
      const error = await failure(here.principalOf(`Bearer ${credential}`))
      expect(error, credential).to.be.instanceOf(UnauthorizedError)
      expect(error).to.include({ message: 'Missing or invalid credentials', status: 401 })
      expect((error as UnauthorizedError).details).to.deep.equal({})
    }
  })

  it('recognizes root and token types regardless of scheme case and spaces', async () => {
    for (const header of [`Bearer ${ROOT_TOKEN}`, `bEARER   ${ROOT_TOKEN} `]) {
      expect((await here.principalOf(header)).kind).to.equal('root')
    }
    const full = await here.apiTokens.create({ name: 'full', type: 'full-access' })
    const readOnly = await here.apiTokens.create({ name: 'read', type: 'read-only' })
    const custom = await here.apiTokens.create({
      name: 'custom',
      type: 'custom',
      permissions: [FIND],
    })
    const allowed = await Promise.all(
      [full, readOnly, custom].map(async ({ accessKey }) => {
        const principal = await here.principalOf(`bearer  ${accessKey}`)
        return [FIND, 'api::tag.tag.find', 'api::tag.tag.create'].map((name) =>
          may(principal, name),
        )
      }),
    )
    expect(allowed).to.deep.equal([
      [true, true, true],
      [true, true, false],
      [true, false, false],
    ])
  })

  it('accepts no credential as root if no root token is configured', async () => {
    const access = await openAccess(test.database, actions, { rootApiToken: null })
    for (const credential of ['null', 'undefined', ROOT_TOKEN]) {
      const error = await failure(access.principalOf(`Bearer ${credential}`))
      expect(error).to.be.instanceOf(UnauthorizedError)
    }
  })

  it('applies a permission change immediately in this process and within a second elsewhere', async () => {
    clock.pass(1_000)
    expect(may(await there.principalOf(undefined), FIND)).to.equal(false)
    await here.roles.grant('public', [FIND])
    expect(may(await here.principalOf(undefined), FIND)).to.equal(true)
    clock.pass(999)
    expect(may(await there.principalOf(undefined), FIND)).to.equal(false)
    clock.pass(1)
    expect(may(await there.principalOf(undefined), FIND)).to.equal(true)
    await there.roles.revoke('public', [FIND])
    expect(may(await there.principalOf(undefined), FIND)).to.equal(false)
    clock.pass(1_000)
    expect(may(await here.principalOf(undefined), FIND)).to.equal(false)
  })

  it('sends no query to the database within a second and one small query afterwards', async () => {
    const { accessKey } = await here.apiTokens.create({ name: 'busy', type: 'read-only' })
    const { counted, calls } = counting(test.database)
    const access = await openAccess(counted, actions, { rootApiToken: null, now: clock.now })
    const askAll = () =>
      Promise.all(
        Array.from({ length: 100 }, async () => {
          await access.principalOf(undefined)
          await access.principalOf(`Bearer ${accessKey}`)
        }),
      )
    await askAll()
    await access.close()
    const steady = calls()
    clock.pass(999)
    await askAll()
    expect(calls() - steady).to.equal(0)
    clock.pass(1)
    await askAll()
    expect(calls() - steady).to.equal(1)
  })

  it('shares the query for unknown tokens between concurrent requests', async () => {
    const { counted, calls } = counting(test.database)
    const access = await openAccess(counted, actions, { rootApiToken: null, now: clock.now })
    await access.principalOf(undefined)
    const before = calls()
    const unknown = Array.from({ length: 100 }, (_, index) => `Bearer unknown-${index}`)
    await Promise.all(unknown.map((one) => failure(access.principalOf(one))))
    expect(calls() - before).to.be.within(1, 2)
  })

  it('refuses a removed or regenerated token in other processes within a second', async () => {
    const token = await here.apiTokens.create({ name: 'gone', type: 'read-only' })
    clock.pass(1_000)
    expect((await there.principalOf(`Bearer ${token.accessKey}`)).kind).to.equal('apiToken')
    const renewed = await here.apiTokens.regenerate(token.id)
    clock.pass(1_000)
    expect(await failure(there.principalOf(`Bearer ${token.accessKey}`))).to.be.instanceOf(
      UnauthorizedError,
    )
    expect((await there.principalOf(`Bearer ${renewed.accessKey}`)).kind).to.equal('apiToken')
    await here.apiTokens.remove(token.id)
    expect(await failure(here.principalOf(`Bearer ${renewed.accessKey}`))).to.be.instanceOf(
      UnauthorizedError,
    )
    clock.pass(1_000)
    expect(await failure(there.principalOf(`Bearer ${renewed.accessKey}`))).to.be.instanceOf(
      UnauthorizedError,
    )
  })

  it('refuses a token from the moment it expires', async () => {
    const token = await here.apiTokens.create({ name: 'day', type: 'read-only', lifespanDays: 1 })
    clock.pass(24 * 60 * 60 * 1_000 - 1)
    expect((await here.principalOf(`Bearer ${token.accessKey}`)).kind).to.equal('apiToken')
    clock.pass(1)
    expect(await failure(here.principalOf(`Bearer ${token.accessKey}`))).to.be.instanceOf(
      UnauthorizedError,
    )
  })

  it('updates the last use of a token at most once a minute', async () => {
    const { id, accessKey } = await here.apiTokens.create({ name: 'used', type: 'read-only' })
    const lastUsedAt = async (): Promise<Date | null | undefined> => {
      await here.principalOf(`Bearer ${accessKey}`)
      await here.close()
      return (await here.apiTokens.list()).find((token) => token.id === id)?.lastUsedAt
    }
    const first = clock.now()
    expect(await lastUsedAt()).to.deep.equal(first)
    clock.pass(59_999)
    expect(await lastUsedAt()).to.deep.equal(first)
    clock.pass(1)
    expect(await lastUsedAt()).to.deep.equal(clock.now())
  })

  it('ignores permissions of a deleted content-type', async () => {
    await here.roles.grant('public', ['api::tag.tag.find'])
    const { accessKey } = await here.apiTokens.create({
      name: 'of tags',
      type: 'custom',
      permissions: ['api::tag.tag.find'],
    })
    const fewer = compileActions(
      sampleSchema([
        { uid: 'api::article.article', kind: 'collectionType', draftAndPublish: true },
      ]),
    )
    const without = await openAccess(test.database, fewer, { rootApiToken: null, now: clock.now })
    expect(may(await without.principalOf(undefined), 'api::tag.tag.find')).to.equal(false)
    const principal = await without.principalOf(`Bearer ${accessKey}`)
    expect(may(principal, 'api::tag.tag.find')).to.equal(false)
    expect(may(await here.principalOf(undefined), 'api::tag.tag.find')).to.equal(true)
    const { permissions } = await without.roles.get('public')
    expect(permissions).to.include('api::tag.tag.find')
    await without.roles.update('public', { permissions: [...permissions, FIND] })
    expect((await without.roles.get('public')).permissions).to.include('api::tag.tag.find')
    expect(may(await here.principalOf(undefined), FIND)).to.equal(false)
    clock.pass(1_000)
    expect(may(await here.principalOf(undefined), FIND)).to.equal(true)
  })
})
