import { parentPort, workerData } from 'node:worker_threads'
import { setNullOverLists } from './filter/null-over-lists.ts'
import { runEngine } from './run-engine.ts'
import { openReader } from './server/reader-process.ts'
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

const options = workerData as WorkerOptions
const { directory, durable, listen, strictness } = options
const { nullOverLists = false } = strictness
setNullOverLists(nullOverLists)
const engine = await runEngine({
  ...options,
  tell: (sentence) => process.stderr.write(`embedded engine: ${sentence}\n`),
  report,
  openReader: (engines) =>
    openReader({
      directory,
      durable,
      address: 'path' in listen ? listen.path : listen.host,
      nullOverLists,
      news: () => engines.news(),
      holdCommits: () => engines.holdCommits(),
      afterwards: () => engines.releaseDeadReaders(),
    }),
})

parentPort?.on('message', () => {
  void (async () => {
    await engine.close()
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker's port has no origin
    parentPort?.postMessage({ kind: 'closed' })
    parentPort?.close()
  })()
})

process.on('uncaughtException', (error) => report('uncaught', error))
process.on('unhandledRejection', (error) => report('unhandled', error))
// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker's port has no origin
parentPort?.postMessage({ kind: 'listening', port: engine.port })
