import { expect } from 'chai'
import { sampleSchema } from '../../people/access/sample-schema.ts'
import { type Json, serveManagement } from './management-server.ts'

const FIND = 'api::article.article.find'

describe('management routes', () => {
  let server: Awaited<ReturnType<typeof serveManagement>>
  before(async () => {
    server = await serveManagement('admin', sampleSchema())
  })
  after(() => server.close())

  const data = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const answer = await server.send(method, path, body)
    expect(answer.status, JSON.stringify(answer.body)).to.equal(method === 'POST' ? 201 : 200)
    return answer.body.data
  }
  const error = async (method: string, path: string, body?: unknown): Promise<Json> => {
    const answer = await server.send(method, path, body)
    expect(answer.body.data).to.equal(null)
    expect(answer.body.error.status).to.equal(answer.status)
    return answer.body.error
  }

  describe('credentials', () => {
    it('are required, and only the root token is accepted', async () => {
      const { accessKey } = await data('POST', '/admin/api-tokens', {
        name: 'not root',
        type: 'full-access',
      })
      for (const path of ['locales', 'api-tokens', 'roles', 'roles/public', 'actions']) {
        const none = await server.send('GET', `/admin/${path}`, undefined, null)
        expect(none.body.error, path).to.deep.include({ status: 401, name: 'UnauthorizedError' })
        const unknown = await server.send('GET', `/admin/${path}`, undefined, 'nope')
        expect(unknown.body, path).to.deep.equal(none.body)
        const other = await server.send('GET', `/admin/${path}`, undefined, accessKey)
        expect(other.body.error, path).to.deep.include({ status: 403, message: 'Forbidden' })
      }
    })

    it('are not bypassed by other spellings of the path', async () => {
      for (const path of ['/ADMIN/api-tokens', '/Admin/api-tokens', '/admiN/API-tokens']) {
        const answer = await server.send('GET', path, undefined, null)
        expect(answer.status, path).to.equal(404)
      }
      const answer = await server.send('POST', '/ADMIN/roles', { name: 'x', type: 'x' }, null)
      expect(answer.status).to.equal(404)
    })

    it('are checked before any change', async () => {
      const body = { permissions: [FIND] }
      expect((await server.send('PUT', '/admin/roles/public', body, null)).status).to.equal(401)
      expect((await data('GET', '/admin/roles/public')).permissions).not.to.include(FIND)
    })

    it('do not matter for unknown routes, which respond with 404', async () => {
      for (const path of ['/admin', '/admin/', '/admin/nope', '/admin/api-tokens/1/nope']) {
        expect((await server.send('GET', path, undefined, null)).status, path).to.equal(404)
      }
    })
  })

  describe('catalogue', () => {
    it('lists all actions', async () => {
      const actions = await data('GET', '/admin/actions')
      expect(actions[0]).to.deep.equal({
        name: FIND,
        subject: 'api::article.article',
        verb: 'find',
      })
    })

    it('lists content-types with their available actions', async () => {
      const types = await data('GET', '/admin/content-types')
      expect(types.map(({ uid }: { uid: string }) => uid)).to.deep.equal([
        'api::article.article',
        'api::tag.tag',
        'api::homepage.homepage',
      ])
      expect(types[2].actions).to.deep.equal(
        ['find', 'update', 'delete', 'sync', 'readDrafts', 'publish'].map(
          (verb) => `api::homepage.homepage.${verb}`,
        ),
      )
    })
  })

  describe('locales', () => {
    it('lists, adds, changes and removes locales', async () => {
      expect((await data('GET', '/admin/locales'))[0]).to.include({ code: 'en', isDefault: true })
      const french = { code: 'fr', name: 'French (fr)', isDefault: false }
      expect(await data('POST', '/admin/locales', french)).to.include(french)
      expect(await data('PUT', '/admin/locales/fr', { isDefault: true })).to.include({
        isDefault: true,
      })
      await data('PUT', '/admin/locales/en', { code: 'en', name: 'English', isDefault: true })
      expect(await data('DELETE', '/admin/locales/fr')).to.include({ code: 'fr' })
    })

    it('reports the path of every fault', async () => {
      const refused = await error('POST', '/admin/locales', { name: 7, isDefault: 'yes', nope: 1 })
      expect(refused).to.include({ status: 400, name: 'ValidationError' })
      expect(refused.details.errors.map(({ path }: { path: string[] }) => path)).to.deep.equal([
        ['code'],
        ['name'],
        ['isDefault'],
        ['nope'],
      ])
      expect((await error('POST', '/admin/locales', { code: 'FR' })).message).to.match(/fr$/)
      expect((await error('POST', '/admin/locales', { code: 'en' })).message).to.match(/exists/)
      expect((await error('DELETE', '/admin/locales/en')).status).to.equal(400)
      expect((await error('DELETE', '/admin/locales/de')).status).to.equal(404)
    })
  })

  describe('api-tokens', () => {
    it('returns the key only in the response to POST', async () => {
      const wanted = {
        name: 'app',
        description: 'of the app',
        type: 'custom',
        permissions: [FIND],
        lifespanDays: 7,
      }
      const { accessKey, ...token } = await data('POST', '/admin/api-tokens', wanted)
      expect(accessKey).to.match(/^[0-9a-f]{256}$/)
      expect(token).to.deep.include(wanted)
      expect(Date.parse(token.expiresAt) - Date.parse(token.createdAt)).to.be.closeTo(6048e5, 1e3)
      const listed = await data('GET', '/admin/api-tokens')
      expect(listed).to.deep.include(token)
      expect(JSON.stringify(listed)).not.to.match(/accessKey|hash|[0-9a-f]{64}/)
      const renewed = await data('POST', `/admin/api-tokens/${token.id}/regenerate`)
      expect(renewed.accessKey)
        .to.match(/^[0-9a-f]{256}$/)
        .and.not.equal(accessKey)
      expect((await server.send('GET', '/api/i18n/locales', undefined, accessKey)).status).to.equal(
        401,
      )
      expect(await data('DELETE', `/admin/api-tokens/${token.id}`)).to.include({ name: 'app' })
      expect((await error('DELETE', `/admin/api-tokens/${token.id}`)).status).to.equal(404)
    })

    it('keeps omitted fields, and the expiry unless the lifespan changes', async () => {
      const body = { name: 'kept', type: 'custom', permissions: [FIND], lifespanDays: 7 }
      const { accessKey, ...token } = await data('POST', '/admin/api-tokens', body)
      const renamed = await data('PUT', `/admin/api-tokens/${token.id}`, {
        name: 'renamed',
        lifespanDays: 7,
      })
      const { updatedAt: _, ...rest } = token
      expect(renamed).to.deep.include({ ...rest, name: 'renamed' })
      const widened = await data('PUT', `/admin/api-tokens/${token.id}`, {
        type: 'full-access',
        lifespanDays: null,
      })
      expect(widened).to.deep.include({ permissions: [], lifespanDays: null, expiresAt: null })
      expect(accessKey).to.be.a('string')
    })

    it('refuses invalid tokens', async () => {
      await data('POST', '/admin/api-tokens', { name: 'taken', type: 'read-only' })
      const rows: readonly [unknown, string, RegExp][] = [
        [{ type: 'read-only' }, 'name', /required/],
        [{ name: 'taken', type: 'read-only' }, 'name', /unique/],
        [{ name: ' ', type: 'read-only' }, 'name', /one line/],
        [{ name: 'x', type: 'root' }, 'type', /must be one of/],
        [{ name: 'x', type: 'read-only', permissions: [FIND] }, 'permissions', /empty/],
        [{ name: 'x', type: 'custom', permissions: ['nope.find'] }, 'permissions.0', /nope\.find/],
        [{ name: 'x', type: 'custom', permissions: [FIND, FIND] }, 'permissions.1', /duplicate/],
        [{ name: 'x', type: 'custom', permissions: FIND }, 'permissions', /array/],
        [{ name: 'x', type: 'read-only', lifespanDays: '7' }, 'lifespanDays', /number/],
        [{ name: 'x', type: 'read-only', lifespanDays: 0 }, 'lifespanDays', /greater/],
        [{ name: 'x', type: 'read-only', accessKey: 'mine' }, 'accessKey', /not allowed/],
      ]
      for (const [body, path, message] of rows) {
        const refused = await error('POST', '/admin/api-tokens', body)
        expect(refused.status, path).to.equal(400)
        const faults = refused.details.errors as { path: string[]; message: string }[]
        expect(
          faults.map((fault) => fault.path.join('.')),
          path,
        ).to.deep.equal([path])
        expect(faults[0]?.message, path).to.match(message)
      }
    })
  })

  describe('roles', () => {
    it('lists, creates, changes and removes roles', async () => {
      const types = (await data('GET', '/admin/roles')).map(({ type }: { type: string }) => type)
      expect(types).to.deep.equal(['authenticated', 'public'])
      const made = await data('POST', '/admin/roles', { name: 'Editor', type: 'editor' })
      expect(made).to.deep.include({ description: '', permissions: [] })
      expect(
        await data('PUT', '/admin/roles/editor', {
          name: 'Editors',
          type: 'editor',
          description: 'they edit',
          permissions: [FIND],
        }),
      ).to.deep.include({ id: made.id, name: 'Editors', permissions: [FIND] })
      expect((await error('PUT', '/admin/roles/editor', { type: 'other' })).status).to.equal(400)
      expect((await error('PUT', '/admin/roles/editor', { name: 'Public' })).message).to.match(
        /unique/,
      )
      await data('DELETE', '/admin/roles/editor')
      expect((await error('GET', '/admin/roles/editor')).status).to.equal(404)
    })

    it('refuses to remove built-in roles', async () => {
      for (const type of ['public', 'authenticated']) {
        expect(await error('DELETE', `/admin/roles/${type}`)).to.include({
          status: 400,
          name: 'ApplicationError',
        })
      }
    })

    it('reports every unknown action', async () => {
      const refused = await error('PUT', '/admin/roles/public', {
        permissions: ['api::nope.nope.find', FIND, 'nope'],
      })
      expect(refused.message).to.equal('2 errors occurred')
      expect(refused.details.errors.map(({ path }: { path: string[] }) => path)).to.deep.equal([
        ['permissions', '0'],
        ['permissions', '2'],
      ])
    })
  })

  describe('hostile input', () => {
    const bodies: readonly [string, unknown][] = [
      ['an operator instead of text', { name: { $gt: '' }, type: 'custom' }],
      ['an operator instead of a type', { name: 'x', type: { $ne: null } }],
      ['an operator as key', { name: 'x', type: 'custom', $set: { type: 'full-access' } }],
      ['a dotted key', { name: 'x', type: 'custom', 'permissions.0': FIND }],
      ['the prototype', '{"name":"x","type":"custom","__proto__":{"type":"full-access"}}'],
      ['a constructor', { name: 'x', type: 'custom', constructor: { prototype: {} } }],
      ['an operator in a list', { name: 'x', type: 'custom', permissions: [{ $ne: 1 }] }],
      ['a list', [{ name: 'x', type: 'custom' }]],
      ['an id', { _id: 1, id: 1, name: 'x', type: 'custom' }],
      ['a hash', { name: 'x', type: 'custom', hash: 'f'.repeat(64) }],
    ]
    for (const [label, body] of bodies) {
      it(`refuses ${label}`, async () => {
        const before = await data('GET', '/admin/api-tokens')
        for (const [method, path] of [
          ['POST', '/admin/api-tokens'],
          ['PUT', `/admin/api-tokens/${before[0].id}`],
          ['POST', '/admin/roles'],
          ['PUT', '/admin/roles/public'],
          ['POST', '/admin/locales'],
          ['PUT', '/admin/locales/en'],
        ] as const) {
          expect((await server.send(method, path, body)).status, `${method} ${path}`).to.equal(400)
        }
        expect(await data('GET', '/admin/api-tokens')).to.deep.equal(before)
      })
    }

    it('treats path segments as plain names', async () => {
      for (const word of ['__proto__', 'constructor', '%7B%22$ne%22:null%7D', '$where', '%00']) {
        expect((await error('GET', `/admin/roles/${word}`)).status, word).to.equal(404)
        expect((await error('DELETE', `/admin/locales/${word}`)).status, word).to.equal(404)
        expect((await error('DELETE', `/admin/api-tokens/${word}`)).status, word).to.equal(404)
      }
      for (const id of ['0', '-1', '1.5', '1e3', '0x1', '99999999999999999999']) {
        expect((await error('DELETE', `/admin/api-tokens/${id}`)).status, id).to.equal(404)
      }
    })
  })
})
