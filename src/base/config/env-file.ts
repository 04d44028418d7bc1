import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import type { Environment } from './config.ts'

/**
 * The environment with what a `.env` file adds to it; the environment wins, and a file that does
 * not exist adds nothing.
 */
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
