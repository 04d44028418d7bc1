import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { QuireError } from '@quire/client'
import qs from 'qs'
import type { SyncDouble } from './sync-double.ts'

const CLIENT = new URL('../../../../packages/client/dist/src/', import.meta.url)

const PAGE = `<!doctype html><script type="module">
import { createClient } from '/client/index.js'
import { createStore, indexedDbStorage } from '/client/sync/sync.js'
globalThis.quire = { createClient, createStore, indexedDbStorage }
</script>`

export interface DoubleServer {
  readonly url: string
  close(): Promise<void>
}

/** Serves the double over HTTP, with an empty page and the scripts of the client. */
export async function serveDouble(
  double: SyncDouble,
  onRequest: () => void = () => undefined,
): Promise<DoubleServer> {
  const server: Server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://localhost')
    if (pathname.startsWith('/client/')) {
      const script = readFileSync(new URL(pathname.slice('/client/'.length), CLIENT))
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(script)
      return
    }
    if (pathname !== '/api/_sync') {
      response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE)
      return
    }
    onRequest()
    try {
      const page = double.ask(qs.parse(search, { ignoreQueryPrefix: true, depth: 10 }))
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(page))
    } catch (error) {
      response.writeHead(error instanceof QuireError ? error.status : 500).end()
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
