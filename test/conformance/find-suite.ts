import { existsSync } from 'node:fs'
import path from 'node:path'

/** The recorded cases are not part of the repository. This folder is next to the checkout. */
const DEFAULT = '../shared/conformance'
const NEEDED = ['run.mjs', 'prepare.mjs', 'cases', 'content-types']

/**
 * The folder of the suite: `given`, relative to the working directory, or the default.
 * @throws Error with the folder and instructions if it contains no suite
 */
export function findSuite(given: string | undefined, repository: string): string {
  const folder =
    given === undefined || given === '' ? path.resolve(repository, DEFAULT) : path.resolve(given)
  const missing = NEEDED.filter((name) => !existsSync(path.join(folder, name)))
  if (missing.length === 0) return folder
  throw new Error(
    `no suite in ${folder} (${missing.join(', ')} missing). The cases are no part of this ` +
      'repository; set CONFORMANCE_DIR to the folder that has run.mjs.',
  )
}
