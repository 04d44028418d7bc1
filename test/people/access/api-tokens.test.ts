import { expect } from 'chai'
import { type Access, openAccess } from '../../../src/people/access/access.ts'
import { compileActions } from '../../../src/people/access/actions.ts'
import { ValidationError } from '../../../src/base/errors.ts'
import { openTestDatabase } from '../../support/test-database.ts'
import { sampleSchema } from './sample-schema.ts'

const DAY_MS = 24 * 60 * 60 * 1_000
const actions = compileActions(sampleSchema())

describe('API tokens', () => {
  let test: Awaited<ReturnType<typeof openTestDatabase>>
  let ms = Date.UTC(2026, 0, 1)
  let access: Access
  const open = (): Promise<Access> =>
    openAccess(test.database, actions, { rootApiToken: null, now: () => new Date(ms) })

  before(async () => {
    test = await openTestDatabase('api_tokens')
    access = await open()
  })
  after(() => test.drop())

  it('stores a hash instead of the key', async () => {
    const { accessKey } = await access.apiTokens.create({ name: 'stored', type: 'read-only' })
    const row = await test.database.collection('quire_api_tokens').findOne({ name: 'stored' })
    expect(row?.['hash']).to.match(/^[0-9a-f]{64}$/)
    expect(JSON.stringify(row)).not.to.include(accessKey.slice(0, 32))
  })

  it('gives each token a unique id and rejects duplicate names', async () => {
    const other = await open()
    const made = await Promise.allSettled(
      ['a', 'b', 'c', 'a', 'b', 'c'].map((name, index) =>
        (index % 2 === 0 ? access : other).apiTokens.create({ name, type: 'read-only' }),
      ),
    )
    const ids = made.flatMap((one) => (one.status === 'fulfilled' ? [one.value.id] : []))
    expect(new Set(ids).size).to.equal(3)
    for (const one of made) {
      if (one.status === 'rejected') expect(one.reason).to.be.instanceOf(ValidationError)
    }
  })

  it('restarts the lifespan when it changes or the key is regenerated', async () => {
    const input = { name: 'brief', type: 'read-only', lifespanDays: 2 }
    const made = await access.apiTokens.create(input)
    expect(made.expiresAt?.getTime()).to.equal(ms + 2 * DAY_MS)
    ms += DAY_MS
    const same = await access.apiTokens.update(made.id, { ...input, description: 'x' })
    expect(same.expiresAt).to.deep.equal(made.expiresAt)
    const longer = await access.apiTokens.update(made.id, { lifespanDays: 3 })
    expect(longer.expiresAt?.getTime()).to.equal(ms + 3 * DAY_MS)
    ms += DAY_MS
    const renewed = await access.apiTokens.regenerate(made.id)
    expect(renewed.expiresAt?.getTime()).to.equal(ms + 3 * DAY_MS)
  })

  it('keeps a last use that was recorded during an update', async () => {
    const { id, accessKey } = await access.apiTokens.create({ name: 'used', type: 'read-only' })
    await access.principalOf(`Bearer ${accessKey}`)
    await Promise.all([access.apiTokens.update(id, { description: 'changed' }), access.close()])
    const token = (await access.apiTokens.list()).find((one) => one.id === id)
    expect(token).to.deep.include({ description: 'changed', lastUsedAt: new Date(ms) })
  })

  it('logs a failure to record a use and lets the request pass', async () => {
    const { accessKey } = await access.apiTokens.create({ name: 'unnoted', type: 'read-only' })
    const errors: unknown[] = []
    const failing = await openAccess(
      {
        ...test.database,
        collection: (name) =>
          new Proxy(test.database.collection(name), {
            get: (target, key) => {
              const member: unknown = Reflect.get(target, key)
              if (key === 'updateOne' && name === 'quire_api_tokens') {
                return () => Promise.reject(new Error('lost'))
              }
              return typeof member === 'function' ? member.bind(target) : member
            },
          }) as never,
      },
      actions,
      { rootApiToken: null, onBackgroundError: (error) => errors.push(error) },
    )
    expect((await failing.principalOf(`Bearer ${accessKey}`)).kind).to.equal('apiToken')
    await failing.close()
    expect(errors).to.have.length(1)
  })
})
