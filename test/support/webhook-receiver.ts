import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Json } from './server.ts'

/** A received message. */
export interface Received {
  readonly id: string
  readonly headers: IncomingHttpHeaders
  readonly text: string
  readonly body: Json
  /** The status of the response. */
  readonly status: number
}

export interface Receiver {
  readonly url: string
  /** In order of arrival. */
  readonly received: readonly Received[]
  /** Sets the response from now on. The default is 204. */
  answer(say: (message: Omit<Received, 'status'>) => Said): void
  /** Deletes the received messages. */
  clear(): void
  close(): void
}

export interface Said {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
}

/** Starts a local receiver of webhooks. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  let say: (message: Omit<Received, 'status'>) => Said = () => ({ status: 204 })
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8')
      const id = String(request.headers['webhook-id'])
      const message = { id, headers: request.headers, text, body: JSON.parse(text) }
      const { status, headers } = say(message)
      received.push({ ...message, status })
      response.writeHead(status, headers).end()
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    answer: (next) => {
      say = next
    },
    clear: () => {
      received.length = 0
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}
