import { parentPort, workerData } from 'node:worker_threads'
import { keepEngine } from './server/keep-engine.ts'
import { openReader } from './server/reader-process.ts'
import { startServer } from './server/server.ts'
import type { ListenAddress } from './server/server.ts'
import type { Strictness } from './request/strictness.ts'

export interface WorkerOptions {
  readonly directory: string
  readonly durable: boolean
  readonly strictness: Strictness
  readonly listen: ListenAddress
}

function report(what: string, error: unknown): void {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`embedded engine: ${what}: ${text.replaceAll('\n', ' | ')}\n`)
}

const { directory, durable, strictness, listen } = workerData as WorkerOptions
const address = 'path' in listen ? listen.path : listen.host
const engines = keepEngine(
  { directory, durable, strictness, address },
  {
    tell: (sentence) => process.stderr.write(`embedded engine: ${sentence}\n`),
    beforeReopening: () => {
      server.dropConnections()
      reader.stop()
    },
  },
)
const reader = openReader({
  directory,
  durable,
  address,
  news: () => engines.news(),
  afterwards: () => engines.releaseDeadReaders(),
})
const server = await startServer(engines, listen, report, reader)

parentPort?.on('message', () => {
  void (async () => {
    await server.close()
    reader.stop()
    await engines.close()
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker's port has no origin
    parentPort?.postMessage({ kind: 'closed' })
    parentPort?.close()
  })()
})

process.on('uncaughtException', (error) => report('uncaught', error))
process.on('unhandledRejection', (error) => report('unhandled', error))
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker's port has no origin
parentPort?.postMessage({ kind: 'listening', port: server.port })
