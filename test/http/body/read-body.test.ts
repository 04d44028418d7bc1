import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import Koa from 'koa'
import { readBody } from '../../../src/http/body/read-body.ts'
import { readRawBody } from '../../../src/http/body/read-raw-body.ts'
import type { RequestState } from '../../../src/http/router/state.ts'

/** Counts how often the credential is resolved again after a body that took `ms` to arrive. */
async function checksAfter(read: typeof readBody, ms: number): Promise<number> {
  let checks = 0
  let now = 0
  const clock = (): number => (now += ms)
  const app = new Koa<RequestState>()
  app.use((ctx, next) => {
    ctx.state.authorizeAgain = () => {
      checks += 1
      return Promise.resolve()
    }
    return next()
  })
  app.use(read(1_000, null, clock))
  app.use((ctx) => {
    ctx.status = 204
  })
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    const headers = { 'content-type': 'application/json' }
    await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body: '{}' })
    return checks
  } finally {
    server.close()
  }
}

for (const [name, read] of Object.entries({ readBody, readRawBody })) {
  describe(name, () => {
    it('authorizes again only after a slow body', async () => {
      expect(await checksAfter(read, 30_000)).to.equal(1)
      expect(await checksAfter(read, 5)).to.equal(0)
    })
  })
}
