import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { startS3Server } from '../media/storage/s3-server.ts'

/** `refused`: a 500 of the service. `lost`: the service does what is asked, but its answer is lost. */
export type BucketFault = 'refused' | 'lost'

/** A bucket behind a proxy that makes requests fail. */
export interface FaultyBucket {
  /** Environment of a Quire server that uses it. */
  readonly environment: Readonly<Record<string, string>>
  /** Counts requests from now on. The request at this position fails, and so do its repetitions by the client. */
  arm(position: number, fault: BucketFault): void
  disarm(): BucketInjection
  close(): Promise<void>
}

export interface BucketInjection {
  readonly requests: number
  /** The failed request. */
  readonly failed: string | null
}

/** The client of S3 repeats a failed request twice. */
const ATTEMPTS = 3

export async function openFaultyBucket(): Promise<FaultyBucket> {
  const bucket = await startS3Server()
  const { port: realPort } = new URL(bucket.endpoint)
  let [requests, position, fault]: [number, number, BucketFault] = [0, 0, 'refused']
  let [failed, failures]: [string | null, number] = [null, 0]

  const fails = (name: string): boolean => {
    requests += 1
    if (requests === position) failed = name
    if (failed !== name || failures === ATTEMPTS) return false
    failures += 1
    return true
  }

  const server = createServer((incoming, outgoing) => {
    const name = `${incoming.method} ${incoming.url?.split('?')[0]}`
    if (!fails(name)) forward(realPort, incoming, (answer) => pass(answer, outgoing))
    else if (fault === 'lost') forward(realPort, incoming, (answer) => lose(answer, outgoing))
    else refuse(incoming, outgoing)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    environment: { ...bucket.environment, S3_ENDPOINT: `http://127.0.0.1:${port}` },
    arm: (at, how) => {
      ;[requests, position, fault, failed, failures] = [0, at, how, null, 0]
    },
    disarm: () => {
      const injection = { requests, failed }
      ;[position, failed] = [0, null]
      return injection
    },
    close: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await bucket.close()
    },
  }
}

function forward(
  port: string,
  incoming: IncomingMessage,
  then: (answer: IncomingMessage) => void,
): void {
  const { method, url, headers } = incoming
  const sent = request({ host: '127.0.0.1', port, method, path: url, headers }, then)
  sent.on('error', () => incoming.destroy())
  incoming.pipe(sent)
}

function pass(answer: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
  answer.pipe(outgoing)
}

function lose(answer: IncomingMessage, outgoing: ServerResponse): void {
  answer.resume().once('end', () => outgoing.destroy())
}

function refuse(incoming: IncomingMessage, outgoing: ServerResponse): void {
  incoming.resume().once('end', () => {
    outgoing.writeHead(500, { 'content-type': 'application/xml' })
    outgoing.end('<Error><Code>InternalError</Code><Message>injected</Message></Error>')
  })
}
