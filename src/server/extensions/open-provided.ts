import { ExtensionError } from '../../base/errors.ts'
import { isRecord } from '../../base/is-record.ts'
import type { Providers } from '../../extensions/providers.ts'
import type { Registered } from '../../extensions/write-hook.ts'

export async function openProvided<T extends object>(
  { extension, run }: Registered<() => T | Promise<T>>,
  kind: keyof Providers,
  functions: readonly (keyof T & string)[],
): Promise<T> {
  const path = `extension ${JSON.stringify(extension)}: providers.${kind}`
  const provider = await openOne(run, path)
  const given: unknown = provider // maybe from JavaScript, without type checks
  if (!isRecord(given)) throw new ExtensionError([`${path}: must return an object`])
  const faults = functions
    .filter((name) => typeof Reflect.get(given, name) !== 'function')
    .map((name) => `${path}: returns an object without the function ${name}`)
  if (faults.length > 0) throw new ExtensionError(faults)
  return provider
}

async function openOne<T>(run: () => T | Promise<T>, path: string): Promise<T> {
  try {
    return await run()
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    throw new ExtensionError([`${path}: ${message}`], { cause: error })
  }
}
