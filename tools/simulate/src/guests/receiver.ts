import { createServer } from 'node:http'
import type { Random } from '../core/random.ts'

export interface ReceivedHook {
  readonly id: string
  readonly path: string
  readonly documentId: string
  readonly seq: number
  /** Whether the receiver has accepted it. */
  readonly isTaken: boolean
}

export interface ReceiverOptions {
  readonly host: string
  readonly port: number
  readonly random: Random
  readonly received: ReceivedHook[]
}

const FAILURES = 0.05

/** Receives webhooks. Refuses some of them. */
export function start({ host, port, random, received }: ReceiverOptions): Promise<void> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('error', () => undefined)
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as {
        readonly documentId: string
        readonly seq: number
      }
      const isTaken = !random.chance(FAILURES)
      const { documentId, seq } = body
      const id = String(request.headers['webhook-id'])
      received.push({ id, path: request.url ?? '', documentId, seq, isTaken })
      response.writeHead(isTaken ? 204 : 500).end()
    })
  })
  return new Promise((resolve) => server.listen(port, host, resolve))
}
