import { expect } from 'chai'
import { sampleSchema } from '../../people/access/sample-schema.ts'
import { serveManagement } from './management-server.ts'

const LIST = 'plugin::i18n.locales.listLocales'

describe('routes under /api/i18n/locales', () => {
  let server: Awaited<ReturnType<typeof serveManagement>>
  before(async () => {
    server = await serveManagement('locale_routes', sampleSchema())
  })
  after(() => server.close())

  it('requires the permission', async () => {
    const path = '/api/i18n/locales'
    expect((await server.send('GET', path, undefined, null)).body.error).to.deep.equal({
      status: 403,
      name: 'ForbiddenError',
      message: 'Forbidden',
      details: {},
    })
    expect((await server.send('GET', path, undefined, 'nope')).status).to.equal(401)
    await server.access.roles.grant('public', [LIST])
    expect((await server.send('GET', path, undefined, null)).status).to.equal(200)
  })

  it('returns a plain array', async () => {
    await server.locales.add({ code: 'fr' })
    const { body } = await server.send('GET', '/api/i18n/locales')
    expect(body.map(({ code }: { code: string }) => code)).to.deep.equal(['en', 'fr'])
    expect(Object.keys(body[0])).to.deep.equal([
      'id',
      'documentId',
      'name',
      'code',
      'createdAt',
      'updatedAt',
      'publishedAt',
      'isDefault',
    ])
  })

  it('responds with 404 for a single locale', async () => {
    expect((await server.send('GET', '/api/i18n/locales/1')).status).to.equal(404)
    expect((await server.send('GET', '/api/i18n/locales/1', undefined, 'nope')).status).to.equal(
      404,
    )
  })
})
