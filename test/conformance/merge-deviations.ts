import { existsSync, readFileSync } from 'node:fs'

type Deviations = Readonly<Record<string, object>>

/**
 * Merges the deliberate differences of the existing files, by case id. Later files take precedence,
 * because the repository is more up to date than the suite.
 */
export function mergeDeviations(files: readonly string[]): Deviations {
  const read = (file: string): Deviations =>
    existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Deviations) : {}
  return Object.assign({}, ...files.map(read)) as Deviations
}
