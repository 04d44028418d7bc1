import type { ReportError } from './server/dispatch.ts'
import { keepEngine } from './server/keep-engine.ts'
import type { Engines } from './server/keep-engine.ts'
import type { Reader } from './server/reader-process.ts'
import { startServer } from './server/server.ts'
import type { ListenAddress } from './server/server.ts'
import type { Strictness } from './request/strictness.ts'

export interface EngineRunOptions {
  readonly directory: string
  readonly durable: boolean
  readonly strictness: Strictness
  readonly listen: ListenAddress
  readonly tell: (sentence: string) => void
  readonly report: ReportError
  /** Null: long reads run in this thread, too. */
  readonly openReader: ((engines: Engines) => Reader) | null
}

export interface RunningEngine {
  readonly port: number | null
  readonly engines: Engines
  close(): Promise<void>
}

/** Runs the engine in this thread. `startEmbedded` gives it a thread of its own. */
export async function runEngine(options: EngineRunOptions): Promise<RunningEngine> {
  const { directory, durable, strictness, listen, tell, report } = options
  const address = 'path' in listen ? listen.path : listen.host
  const engines = keepEngine(
    { directory, durable, strictness, address },
    {
      tell,
      beforeReopening: () => {
        server.dropConnections()
        reader?.stop()
      },
    },
  )
  const reader = options.openReader?.(engines) ?? null
  const server = await startServer(engines, listen, report, reader)
  return {
    port: server.port,
    engines,
    close: async () => {
      await server.close()
      reader?.stop()
      await engines.close()
    },
  }
}
