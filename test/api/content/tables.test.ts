import { expect } from 'chai'
import { addAdministrator, type AdminClient, signIn } from '../../support/admin-client.ts'
import { type Answer, type Json, serve, type TestServer } from '../../support/server.ts'
import { until } from '../../support/until.ts'
import {
  added,
  ARTICLE,
  EXTENDED_TYPES,
  LINKED_TYPES,
  linksIn,
  linkTo,
  SECRET,
  tableWith,
} from './linked-world.ts'

const PAGE = 'api::page.page'
const SOON = 20_000

function searched(types: Readonly<Record<string, object>>): Readonly<Record<string, object>> {
  const { options, ...page } = types['page'] as { readonly options: object }
  return { ...types, page: { ...page, options: { ...options, search: { body: 1 } } } }
}

describe('tables in blocks', () => {
  let server: TestServer
  let plain: TestServer
  let writer: AdminClient
  let article: string
  let secret: string

  before(async () => {
    server = await serve('tables', {
      contentTypes: searched(EXTENDED_TYPES),
      locales: ['de'],
    })
    article = await added(server, '/api/articles?status=published', { slug: 'first' })
    secret = await added(server, '/api/secrets', { slug: 'hidden' })
    const permissions = ['find', 'findOne', 'create', 'update', 'readDrafts', 'publish'].map(
      (verb) => ({ action: `${PAGE}.${verb}` }),
    )
    const body = { type: 'writer', name: 'writer', permissions }
    expect((await server.send('POST', '/admin/administrator-roles', { body })).status).to.equal(201)
    await addAdministrator(server, 'writer', ['writer'])
    writer = await signIn(server, 'writer@example.org')
    const page = LINKED_TYPES['page'] as { readonly options: object }
    plain = await serve('tables_off', {
      contentTypes: {
        ...searched(EXTENDED_TYPES),
        page: searched({ page })['page'] ?? {},
      },
      locales: ['de'],
      environment: { MONGODB_DATABASE: server.database },
    })
  })
  after(async () => {
    await plain.close()
    await server.close()
  })

  const ok = (answer: Answer): Json => {
    expect(answer.status, answer.text).to.be.oneOf([200, 201])
    return answer.body.data
  }
  const links = (): readonly object[] => [linkTo(ARTICLE, article), linkTo(SECRET, secret)]
  const faultOf = ({ status, body }: Answer): Json => {
    expect(status).to.equal(400)
    const [{ path, message }, ...others] = body.error.details.errors
    expect(others).to.deep.equal([])
    return [path.join('.'), message]
  }
  const REFUSED = 'is a table, which needs "options": { "blocks": "extended" }'

  it('fill the URLs of links in cells, and list them below the target', async () => {
    const page = await added(server, '/api/pages?status=published', { body: tableWith(...links()) })
    const { body } = ok(await server.get(`/api/pages/${page}`))
    expect(linksIn(body)).to.deep.equal([
      ['/en/articles/first', article],
      ['/secrets/hidden', secret],
    ])
    const usages = ok(await server.get(`/admin/content/${SECRET}/${secret}/usages`))
    expect(usages.map(({ documentId }: Json) => documentId)).to.deep.equal([page])
  })

  it('keep the targets of links that the writer does not see', async () => {
    const page = await added(server, '/api/pages', { body: tableWith(...links()) })
    const own = `/admin/content/${PAGE}/${page}`
    const { body } = ok(await writer.send('GET', own))
    expect(linksIn(body)).to.deep.equal([
      ['', null],
      ['', null],
    ])
    body[0].children.reverse()
    ok(await writer.send('PUT', own, { data: { body } }))
    const stored = ok(await server.get(`/api/pages/${page}?status=draft`))
    expect(linksIn(stored.body).map(([, documentId]) => documentId)).to.deep.equal([
      article,
      secret,
    ])
    expect(stored.body[0].children[0].children[0].type).to.equal('table-cell')
  })

  it('are found by the words of their cells', async () => {
    const [table] = tableWith() as Json
    table.children[1].children[1].children[0].text = 'Zebrafish'
    const page = await added(server, '/api/pages?status=published', { body: [table] })
    const isFound = async (): Promise<boolean> => {
      const { data } = (await server.get('/api/pages?search=zebrafish')).body
      return data.length === 1 && data[0].documentId === page
    }
    await until(isFound, SOON)
  })

  it('need the option of the type, or of the component', async () => {
    const body = [{ type: 'paragraph', children: [{ type: 'text', text: '' }] }, ...tableWith()]
    const data = { body, parts: [{ text: tableWith() }] }
    expect(faultOf(await plain.post('/api/pages', data))).to.deep.equal([
      'body.1',
      `body[1] ${REFUSED}`,
    ])
    const { parts } = ok(
      await plain.post('/api/pages?populate=parts', { parts: [{ text: tableWith() }] }),
    )
    expect(parts[0].text[0].type).to.equal('table')
  })

  it('stay readable and can be published without the option, but not be written', async () => {
    const page = await added(server, '/api/pages', { title: 'a', body: tableWith(...links()) })
    const own = `/admin/content/${PAGE}/${page}`
    const { body } = ok(await plain.get(own))
    expect(linksIn(body)).to.have.length(2)
    ok(await plain.send('PUT', own, { body: { data: { title: 'b' } } }))
    ok(await plain.send('POST', `${own}/actions/publish`))
    const published = ok(await plain.get(`${own}?status=published`))
    expect(published).to.deep.include({ title: 'b' })
    expect(published.body[0].type).to.equal('table')
    expect(faultOf(await plain.put(`/api/pages/${page}`, { body }))).to.deep.equal([
      'body.0',
      `body[0] ${REFUSED}`,
    ])
  })

  it('are described to clients and to the Studio', async () => {
    const { schemas } = (await server.get('/api/openapi.json')).body.components
    expect(schemas.Page.properties.body).to.deep.equal({
      anyOf: [{ $ref: '#/components/schemas/ExtendedBlocks' }, { type: 'null' }],
    })
    expect(Object.keys(schemas.ExtendedBlock.discriminator.mapping)).to.include('table')
    const type = ok(await server.get(`/admin/content-types/${PAGE}`))
    expect(type.attributes.body.extended).to.equal(true)
    const other = ok(await plain.get(`/admin/content-types/${PAGE}`))
    expect(other.attributes.body).not.to.have.property('extended')
  })
})
