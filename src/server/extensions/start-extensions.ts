import type { Logger } from 'pino'
import { ExtensionError } from '../../base/errors.ts'
import type { Extension, ExtensionDatabase } from '../../extensions/extension.ts'
import type { ExtensionRegistry } from '../../extensions/extension-registry.ts'
import { extensionLog } from './extension-log.ts'

export interface StartedExtensions {
  close(): Promise<void>
}

export interface StartOptions {
  readonly extensions: Pick<ExtensionRegistry, 'extensions' | 'host'>
  readonly database: ExtensionDatabase
  readonly log: Logger
  readonly timeouts?: { readonly startMs: number; readonly stopMs: number }
}

const TIMEOUTS = { startMs: 60_000, stopMs: 5_000 }

/** @throws ExtensionError with the name of the extension; those that have started are stopped */
export async function startExtensions(options: StartOptions): Promise<StartedExtensions> {
  const { extensions, database, log, timeouts = TIMEOUTS } = options
  const started: Extension[] = []
  const close = async (): Promise<void> => {
    for (const extension of started.splice(0).toReversed()) {
      await stopOne(extension, log, timeouts.stopMs)
    }
  }
  for (const extension of extensions.extensions) {
    const { name } = extension
    try {
      const content = extensions.host.content({ extension: name, depth: 1 })
      const event = { content, database, log: extensionLog(log, name) }
      await within(timeouts.startMs, 'start', () => extension.start?.(event))
      started.push(extension)
    } catch (error) {
      log.error({ extension: name, err: error }, 'An extension could not be started')
      await close()
      const problem = error instanceof Error ? error.message : String(error)
      throw new ExtensionError([`extension ${JSON.stringify(name)}: start: ${problem}`])
    }
  }
  return { close }
}

async function stopOne(extension: Extension, log: Logger, timeoutMs: number): Promise<void> {
  try {
    await within(timeoutMs, 'stop', () => extension.stop?.())
  } catch (error) {
    log.error({ extension: extension.name, err: error }, 'An extension could not be stopped')
  }
}

async function within(
  timeoutMs: number,
  call: string,
  work: () => void | Promise<void> | undefined,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`${call} did not finish within ${timeoutMs / 1000} s`))
    }, timeoutMs)
  })
  try {
    await Promise.race([work(), late])
  } finally {
    clearTimeout(timer)
  }
}
