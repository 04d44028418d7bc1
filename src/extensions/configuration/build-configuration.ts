import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ConfigError } from '../../base/errors.ts'
import { isRecord } from '../../base/is-record.ts'
import { bundleConfiguration, digestSources, SOURCES_MARK } from './bundle-configuration.ts'
import { findConfigurationFile, type ConfigurationFile } from './find-configuration-file.ts'

const BUILT = 'dist/quire.config.mjs'

export interface BuiltConfiguration {
  /** Relative to the folder of the project. Null if there is nothing to build. */
  readonly file: string | null
}

/** Does nothing without TypeScript. @throws ConfigError */
export async function buildConfiguration(folder: string): Promise<BuiltConfiguration> {
  const file = findConfigurationFile(folder)
  if (file?.language !== 'typescript') return { file: null }
  const target = join(folder, BUILT)
  await mkdir(dirname(target), { recursive: true })
  // A server that starts now reads the old bundle or the new one, never a part.
  const temporary = `${target}.${process.pid}.tmp`
  await writeFile(temporary, await bundleConfiguration(folder, file))
  await rename(temporary, target)
  return { file: BUILT }
}

/** Null without TypeScript and without a bundle. Without the sources, the bundle is current. @throws ConfigError */
export async function findBuilt(
  folder: string,
  file: ConfigurationFile | null,
): Promise<string | null> {
  if (file?.language === 'javascript') return null
  const path = join(folder, BUILT)
  const built = await readFile(path, 'utf8').catch(() => null)
  if (file === null) return built === null ? null : path
  if (built === null) throw notBuilt(`${file.name}: it has not been built: ${BUILT} does not exist`)
  const recorded = readDigests(built)
  if (recorded === null) throw notBuilt(`${BUILT}: it was not written by quire build`)
  const current = await digestSources(folder, Object.keys(recorded))
  const [changed] = Object.keys(recorded).filter((source) => recorded[source] !== current[source])
  if (changed !== undefined) throw notBuilt(`${changed}: it has changed since the last build`)
  return path
}

function notBuilt(fault: string): ConfigError {
  return new ConfigError([`${fault}; run \`npx quire build\``])
}

function readDigests(built: string): Readonly<Record<string, unknown>> | null {
  const line = built.trimEnd().split('\n').at(-1) ?? ''
  if (!line.startsWith(SOURCES_MARK)) return null
  try {
    const parsed: unknown = JSON.parse(line.slice(SOURCES_MARK.length))
    return isRecord(parsed) ? parsed : null
  } catch {
    return null
  }
}
