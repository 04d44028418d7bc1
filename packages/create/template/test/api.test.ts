import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestServer, type TestServer } from '@quire/server'

// The server of this project, on an empty database of its own.
let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.close())

test('an article is created with a slug, and found', async () => {
  const created = await server.fetch('/api/articles', {
    method: 'POST',
    body: { data: { title: 'Maps of the Alps', body: 'Where to find them.' } },
  })
  assert.equal(created.status, 201)
  const { data } = await created.json()
  assert.equal(data.slug, 'maps-of-the-alps')

  const found = await server.fetch('/api/articles?filters[slug]=maps-of-the-alps')
  const list = await found.json()
  assert.equal(list.data.length, 1)
})
