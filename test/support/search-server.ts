import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json } from './server.ts'

export interface SearchServer {
  readonly url: string
  readonly apiKey: string
  readonly documents: Map<string, Json>
  /** Responds to the next requests with 503. */
  fail(count: number): void
  close(): Promise<void>
}

const API_KEY = 'key-of-the-search-server'
const PATH = '/indexes/articles/documents'

/** The part of Meilisearch's HTTP API that mirrors use: https://www.meilisearch.com/docs/reference/api/documents */
export async function startSearchServer(): Promise<SearchServer> {
  const documents = new Map<string, Json>()
  let failures = 0
  const server = createServer((request, response) => {
    const isAllowed = request.headers.authorization === `Bearer ${API_KEY}`
    const isFailing = isAllowed && failures > 0
    if (isFailing) failures -= 1
    const status = isFailing ? 503 : isAllowed ? respond(request, documents) : 403
    void Promise.resolve(status).then((code) => {
      response.writeHead(code, { 'content-type': 'application/json' }).end('{"taskUid":1}')
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    apiKey: API_KEY,
    documents,
    fail: (count) => {
      failures = count
    },
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function respond(request: IncomingMessage, documents: Map<string, Json>): number | Promise<number> {
  const { pathname, searchParams } = new URL(request.url ?? '', 'http://search')
  if (request.method === 'PUT' && pathname === PATH) {
    return searchParams.get('primaryKey') === 'documentId' ? store(request, documents) : 400
  }
  if (request.method !== 'DELETE' || !pathname.startsWith(`${PATH}/`)) return 404
  documents.delete(pathname.slice(PATH.length + 1))
  return 202
}

async function store(request: IncomingMessage, documents: Map<string, Json>): Promise<number> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  for (const document of JSON.parse(Buffer.concat(chunks).toString('utf8'))) {
    documents.set(document.documentId, document)
  }
  return 202
}
