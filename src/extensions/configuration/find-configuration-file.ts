import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ConfigError } from '../../base/errors.ts'

export interface ConfigurationFile {
  readonly path: string
  readonly name: string
  /** TypeScript is bundled before the server loads it. */
  readonly language: 'typescript' | 'javascript'
}

const FILES = [
  ['quire.config.ts', 'typescript'],
  ['quire.config.mts', 'typescript'],
  ['quire.config.js', 'javascript'],
  ['quire.config.mjs', 'javascript'],
] as const

/** @throws ConfigError if there are several */
export function findConfigurationFile(folder: string): ConfigurationFile | null {
  const found = FILES.map(([name, language]) => ({ path: join(folder, name), name, language }))
  const [first = null, second] = found.filter(({ path }) => existsSync(path))
  if (first !== null && second !== undefined) {
    throw new ConfigError([`${second.name}: ${first.name} exists as well; delete one of them`])
  }
  return first
}
