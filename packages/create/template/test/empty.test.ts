import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { startTestServer, type TestServer } from '@quire/server'

// The server of this project, on an empty database of its own.
let server: TestServer
before(async () => {
  server = await startTestServer()
})
after(() => server.close())

test('the server is ready', async () => {
  const { status } = await server.fetch('/_ready')
  assert.equal(status, 204)
})
