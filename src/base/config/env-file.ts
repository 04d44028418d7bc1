import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import type { Environment } from './config.ts'

/** Adds variables of a `.env` file to the environment. The environment wins, and a missing file is ignored. */
export function withEnvFile(env: Environment, file = '.env'): Environment {
  return { ...parseEnv(readIfPresent(file)), ...env }
}

function readIfPresent(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
