import { expect } from 'chai'
import { pino } from 'pino'
import { searchMirror } from '../../../examples/extensions/search-mirror.ts'
import type { Extension } from '../../../src/extensions/extension.ts'
import { serve, type TestServer } from '../../support/server.ts'
import { type SearchServer, startSearchServer } from '../../support/search-server.ts'
import { until } from '../../support/until.ts'
import { BLOG_TYPES } from './content-types.ts'

const WAIT_MS = 30_000
describe('examples/extensions/search-mirror', () => {
  let search: SearchServer
  let server: TestServer
  let extension: Extension

  before(async () => {
    search = await startSearchServer()
    extension = searchMirror({ url: search.url, apiKey: search.apiKey })
    server = await serve('search_mirror', { contentTypes: BLOG_TYPES, extensions: [extension] })
  })
  after(async () => {
    await server.close()
    await search.close()
  })

  const create = async (title: string, query = ''): Promise<string> => {
    const { body } = await server.post(`/api/articles${query}`, {
      title,
      slug: title.toLowerCase(),
    })
    return body.data.documentId
  }
  const isTitled = (documentId: string, title: string) => (): boolean =>
    search.documents.get(documentId)?.title === title

  it('mirrors published articles, their changes and their deletion', async () => {
    const draft = await create('Draft', '?status=draft')
    const documentId = await create('Maps')
    await until(isTitled(documentId, 'Maps'), WAIT_MS)
    expect(search.documents.get(documentId)).to.include({ slug: 'maps' })
    await server.put(`/api/articles/${documentId}`, { title: 'Old maps' })
    await until(isTitled(documentId, 'Old maps'), WAIT_MS)
    await server.send('POST', `/api/articles/${documentId}/actions/unpublish`)
    await until(() => !search.documents.has(documentId), WAIT_MS)
    expect(search.documents.has(draft)).to.equal(false)
    const other = await create('Globes')
    await until(isTitled(other, 'Globes'), WAIT_MS)
    await server.delete(`/api/articles/${other}`)
    await until(() => !search.documents.has(other), WAIT_MS)
  })

  it('reaches the same state after failures of the search engine', async () => {
    search.fail(1)
    const documentId = await create('Atlas')
    await until(isTitled(documentId, 'Atlas'), WAIT_MS)
  })

  it('sends all published articles again in a job', async () => {
    const [job] = extension.jobs ?? []
    const documentId = await create('Poster')
    await until(isTitled(documentId, 'Poster'), WAIT_MS)
    search.documents.clear()
    await job?.run({
      content: server.contentFor('search-mirror'),
      log: pino({ level: 'silent' }),
      at: new Date(),
      signal: new AbortController().signal,
    })
    const titles = [...search.documents.values()].map(({ title }) => title)
    expect(titles).to.have.members(['Atlas', 'Poster'])
  })
})
