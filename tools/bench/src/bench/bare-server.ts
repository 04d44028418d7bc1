import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { MongoClient } from 'mongodb'
import { openBareCities } from './bare-cities.ts'
import { openBarePosts } from './bare-posts.ts'

// The upper bound: node:http and the driver with the same queries and responses, but without
// parsing, permissions and validation. Routes are compared with the paths in `workloads.ts`.

const client = await MongoClient.connect(process.env['MONGODB_URI'] ?? '', {
  maxPoolSize: 50,
  minPoolSize: 2,
  writeConcern: { w: 'majority' },
})
const database = process.env['MONGODB_DATABASE'] ?? ''
const posts = openBarePosts(client, database)
const cities = openBareCities(client.db(database))

const server = createServer((request, response) => {
  answer(request).then(
    ({ status, type, body }) => {
      response.writeHead(status, {
        'Content-Type': type,
        'Content-Length': Buffer.byteLength(body),
      })
      response.end(body)
    },
    (error: unknown) => {
      console.error(error)
      response.writeHead(500).end()
    },
  )
})
server.listen(0, '127.0.0.1', () => {
  console.log(`listens on http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
process.on('SIGTERM', () => {
  server.close()
  server.closeAllConnections()
  void client.close()
})

interface Answer {
  readonly status: number
  readonly type: string
  readonly body: string
}

async function answer(request: IncomingMessage): Promise<Answer> {
  const url = request.url ?? ''
  if (url === '/metrics') return { status: 200, type: 'text/plain', body: metrics() }
  const json = (status: number, value: unknown): Answer => ({
    status,
    type: 'application/json; charset=utf-8',
    body: JSON.stringify(value),
  })
  if (request.method === 'POST') return json(201, await posts.create(await readJson(request)))
  const { pathname, searchParams } = new URL(url, 'http://localhost')
  const documentId = pathname.slice('/api/posts/'.length)
  if (request.method === 'PUT') {
    return json(200, await posts.update(documentId, await readJson(request)))
  }
  if (pathname === '/api/posts') return json(200, await listPosts(searchParams))
  if (pathname === '/api/_sync') {
    const token = searchParams.get('token')
    return json(200, token === null ? await posts.firstSyncPage() : await posts.syncTip(token))
  }
  if (pathname === '/api/cities') return json(200, await listCities(searchParams))
  return json(200, await posts.findOne(documentId))
}

function listPosts(query: URLSearchParams): Promise<object> {
  const cursor = query.get('pagination[cursor]')
  if (cursor !== null) return posts.pageByCursor(cursor)
  if (query.has('populate')) return posts.populated()
  if (query.has('sort')) return posts.newest()
  const slug = query.get('filters[slug][$eq]')
  if (slug !== null) return posts.bySlug(slug)
  if (!query.has('pagination[withCount]')) return posts.countedList()
  return posts.list(Number(query.get('pagination[page]') ?? 1))
}

function listCities(query: URLSearchParams): Promise<object> {
  const cursor = query.get('pagination[cursor]')
  if (cursor !== null) return cities.pageByCursor(cursor)
  const country = query.get('filters[country][documentId][$eq]')
  if (country !== null) return cities.of([country])
  return cities.beside(query.get('filters[country][borders][cca3][$eq]') ?? '')
}

async function readJson(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  const { data } = JSON.parse(Buffer.concat(chunks).toString()) as { data: Record<string, unknown> }
  return data
}

/** The two metrics that the bench reads, with the names of prom-client. */
function metrics(): string {
  const { user, system } = process.cpuUsage()
  return [
    `process_cpu_seconds_total ${(user + system) / 1e6}`,
    `process_resident_memory_bytes ${process.memoryUsage.rss()}`,
  ].join('\n')
}
