import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { QuireError } from '@quire/client'
import qs from 'qs'
import type { SyncDouble } from './sync-double.ts'

/** The scripts of the client and of its dependencies, by the first part of their path. */
const SCRIPTS: Readonly<Record<string, URL>> = {
  client: new URL('../../../../packages/client/dist/src/', import.meta.url),
  merge: new URL('../../../../packages/merge/dist/src/', import.meta.url),
  hashes: new URL('../../../../node_modules/@noble/hashes/esm/', import.meta.url),
}

const IMPORTS = {
  '@quire/merge/apply-operation': '/merge/apply-operation.js',
  '@quire/merge/is-deep-equal': '/merge/is-deep-equal.js',
  '@noble/hashes/sha2': '/hashes/sha2.js',
  '@noble/hashes/utils': '/hashes/utils.js',
  '@noble/hashes/crypto': '/hashes/crypto.js',
}

const PAGE = `<!doctype html><script type="importmap">${JSON.stringify({ imports: IMPORTS })}</script>
<script type="module">
import { createClient } from '/client/index.js'
import { createStore, indexedDbStorage } from '/client/sync/sync.js'
globalThis.quire = { createClient, createStore, indexedDbStorage }
</script>`

export interface DoubleServer {
  readonly url: string
  close(): Promise<void>
}

/** An upload: its `Idempotency-Key` and its multipart body. Returns the response. */
export type TakeUpload = (key: string, body: string) => object

/** Serves the double over HTTP, with an empty page and the scripts of the client. */
export async function serveDouble(
  double: SyncDouble,
  onRequest: () => void = () => undefined,
  onUpload: TakeUpload = () => [],
): Promise<DoubleServer> {
  const server: Server = createServer((request, response) => {
    const { pathname, search } = new URL(request.url ?? '/', 'http://localhost')
    const [, first = '', ...rest] = pathname.split('/')
    const scripts = SCRIPTS[first]
    if (scripts !== undefined) {
      const script = readFileSync(new URL(rest.join('/'), scripts))
      response.writeHead(200, { 'content-type': 'text/javascript' }).end(script)
      return
    }
    if (pathname === '/api/upload') {
      void buffer(request).then((body) => {
        const answer = onUpload(String(request.headers['idempotency-key']), body.toString())
        response.writeHead(201, { 'content-type': 'application/json' }).end(JSON.stringify(answer))
      })
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
