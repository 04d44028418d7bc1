import { expect } from 'chai'
import { sendSoon } from '../../../support/plan-ahead.ts'
import { until } from '../../../support/until.ts'
import { type Answer, declare, type Json, serve, type TestServer } from '../../../support/server.ts'
import { addEntry } from '../rules-world.ts'

const PAGE = 'api::page.page'
const LOCALIZED = { pluginOptions: { i18n: { localized: true } } }
const OPEN = { state: 'open' }
const OK = { title: { $startsWith: 'ok' } }

describe('writes of several named locales under rules', () => {
  let server: TestServer
  let token: string

  before(async () => {
    server = await serve('rules_named_locales', {
      contentTypes: {
        page: declare(
          'page',
          { title: { type: 'string', ...LOCALIZED }, state: { type: 'string', ...LOCALIZED } },
          { draftAndPublish: true, localized: true },
        ),
      },
      locales: ['en', 'de', 'fr'],
    })
    const reads = ['find', 'findOne', 'readDrafts']
    const writes = ['publish', 'update', 'delete']
    const rules = [
      ...reads.map((verb) => ({ action: `${PAGE}.${verb}`, where: OPEN })),
      ...writes.map((verb) => ({ action: `${PAGE}.${verb}`, where: OK })),
    ]
    const body = { name: 'pages', type: 'custom', rules }
    const made = await server.send('POST', '/admin/api-tokens', { body })
    expect(made.status, made.text).to.equal(201)
    token = made.body.data.accessKey
  })
  after(() => server.close())

  const addPage = async (germanState: string): Promise<string> => {
    const data = { title: 'ok en', state: 'open' }
    const { documentId } = await addEntry(server, '/api/pages?status=draft', data)
    const path = `/api/pages/${documentId}`
    const german = { title: 'ok de', state: germanState }
    const added = await server.put(`${path}?locale=de&status=draft`, german)
    expect(added.status, added.text).to.equal(200)
    return path
  }

  const publishAll = async (path: string): Promise<void> => {
    const answer = await server.send('POST', `${path}/actions/publish?locale=*`)
    expect(answer.status, answer.text).to.equal(200)
  }

  const statusesOf = async (path: string, status = 'published'): Promise<readonly number[]> => {
    const answers: number[] = []
    for (const locale of ['en', 'de']) {
      answers.push((await server.get(`${path}?locale=${locale}&status=${status}`)).status)
    }
    return answers
  }

  const send = (method: string, path: string, body?: object): Promise<Answer> =>
    server.send(method, path, { token, ...(body !== undefined && { body }) })

  const lists = ['locale=de', 'locale=en,de', 'locale=de,en', 'locale[]=en&locale[]=de']
  for (const list of lists) {
    it(`publish no hidden version: ${list}`, async () => {
      const path = await addPage('closed')
      const missing = await send('POST', `${path}/actions/publish?locale=en,fr`)
      const refused = await send('POST', `${path}/actions/publish?${list}`)
      expect(refused.status, refused.text).to.equal(404)
      expect(refused.body).to.deep.equal(missing.body)
      expect(await statusesOf(path)).to.deep.equal([404, 404])
    })

    it(`unpublish and discard no hidden version: ${list}`, async () => {
      const path = await addPage('closed')
      await publishAll(path)
      for (const action of ['unpublish', 'discard']) {
        const refused = await send('POST', `${path}/actions/${action}?${list}`)
        expect(refused.status, `${action} ${refused.text}`).to.equal(404)
      }
      expect(await statusesOf(path)).to.deep.equal([200, 200])
    })

    it(`plan no publication of a hidden version: ${list}`, async () => {
      const path = await addPage('closed')
      const body = { data: { at: new Date(Date.now() + 86_400_000).toISOString() } }
      const refused = await send('POST', `${path}/actions/publish?${list}`, body)
      expect(refused.status, refused.text).to.equal(404)
    })
  }

  it('delete no hidden version', async () => {
    const path = await addPage('closed')
    expect((await send('DELETE', `${path}?locale[]=en&locale[]=de`)).status).to.equal(204)
    expect(await statusesOf(path, 'draft')).to.deep.equal([200, 200])
  })

  it('act on visible versions', async () => {
    const path = await addPage('open')
    const named = 'locale=en,de'
    expect((await send('POST', `${path}/actions/publish?${named}`)).status).to.equal(200)
    expect(await statusesOf(path)).to.deep.equal([200, 200])
    expect((await send('POST', `${path}/actions/unpublish?${named}`)).status).to.equal(200)
    expect(await statusesOf(path)).to.deep.equal([404, 404])
    expect((await send('DELETE', `${path}?locale[]=en&locale[]=de`)).status).to.equal(204)
    expect(await statusesOf(path, 'draft')).to.deep.equal([404, 404])
  })

  it('act on the visible versions of all locales', async () => {
    const path = await addPage('closed')
    const published = await send('POST', `${path}/actions/publish?locale=*`)
    expect(published.status, published.text).to.equal(200)
    expect(published.body.data.map(({ locale }: Json) => locale)).to.deep.equal(['en'])
    expect(await statusesOf(path)).to.deep.equal([200, 404])
    await publishAll(path)
    for (const action of ['discard', 'unpublish']) {
      const answer = await send('POST', `${path}/actions/${action}?locale=*`)
      expect(answer.status, `${action} ${answer.text}`).to.equal(200)
      expect(answer.body.data.map(({ locale }: Json) => locale)).to.deep.equal(['en'])
    }
    expect(await statusesOf(path)).to.deep.equal([404, 200])
    expect((await send('DELETE', `${path}?locale=*`)).status).to.equal(204)
    expect(await statusesOf(path, 'draft')).to.deep.equal([404, 200])
    const gone = await send('POST', `${path}/actions/publish?locale=*`)
    expect(gone.status, gone.text).to.equal(404)
  })

  it('delete visible versions in a bulk line', async () => {
    const path = await addPage('closed')
    const documentId = path.split('/').at(-1)
    const line = { op: 'delete', type: 'page', documentId, locale: '*' }
    const headers = { 'content-type': 'application/x-ndjson' }
    const body = JSON.stringify(line)
    const answer = await server.send('POST', '/api/_bulk', { token, headers, body })
    expect(answer.status, answer.text).to.equal(200)
    expect(await statusesOf(path, 'draft')).to.deep.equal([404, 200])
  })

  it('publish the visible versions of all locales at a time', async () => {
    const path = await addPage('closed')
    const answer = await sendSoon((at) =>
      send('POST', `${path}/actions/publish?locale=*`, { data: { at } }),
    )
    expect(answer.status, answer.text).to.equal(202)
    await until(async () => (await server.get(path)).status === 200, 10_000)
    expect(await statusesOf(path)).to.deep.equal([200, 404])
  })

  it('act on the visible locale of a document with a hidden one', async () => {
    const path = await addPage('closed')
    expect((await send('POST', `${path}/actions/publish?locale=en`)).status).to.equal(200)
    expect(await statusesOf(path)).to.deep.equal([200, 404])
  })
})
