import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import Koa from 'koa'
import { sendWrittenTime } from '../../../src/http/reads/causal-reads.ts'

/** Whether the response asked the primary for its time, once for each time that it needed. */
async function asksPrimary(method: string, headers: Record<string, string>) {
  const asked: boolean[] = []
  const clusterTime = (asksPrimary: boolean) => {
    asked.push(asksPrimary)
    return Promise.resolve('0000000001.0000000001')
  }
  const app = new Koa()
  app.use(sendWrittenTime({ clusterTime }))
  app.use((ctx) => {
    ctx.set(headers)
    ctx.body = {}
  })
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    const { port } = server.address() as AddressInfo
    const response = await fetch(`http://127.0.0.1:${port}/api/notes`, { method })
    expect(response.headers.has('quire-after')).to.equal(asked.length > 0)
    return asked
  } finally {
    server.close()
  }
}

describe('the time of a write', () => {
  it('needs no command, unless another process may have done the work', async () => {
    expect(await asksPrimary('POST', {})).to.deep.equal([false])
    expect(await asksPrimary('POST', { 'Idempotency-Replayed': 'true' })).to.deep.equal([true])
    expect(await asksPrimary('GET', {})).to.deep.equal([])
  })
})
