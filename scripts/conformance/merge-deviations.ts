import { existsSync, readFileSync } from 'node:fs'

type Deviations = Readonly<Record<string, object>>

/**
 * The deliberate differences of all `files` that are there, by case id. A case that two of them
 * name is taken from the later: the repository knows its own answers better than the suite.
 */
export function mergeDeviations(files: readonly string[]): Deviations {
  const read = (file: string): Deviations =>
    existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Deviations) : {}
  return Object.assign({}, ...files.map(read)) as Deviations
}
