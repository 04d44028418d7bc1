import { readFileSync } from 'node:fs'

export interface ShippedSettings {
  readonly options: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/**
 * Reads the options of Node and malloc from the Dockerfile, so that the bench measures the shipped
 * server.
 */
export function readShipped(dockerfile = readFileSync('Dockerfile', 'utf8')): ShippedSettings {
  const command = /^CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]'
  const options = (JSON.parse(command) as readonly string[]).filter((word) => word.startsWith('--'))
  const settings = dockerfile.matchAll(/\b(MALLOC_\w+)=(\S+)/g)
  const env = Object.fromEntries([...settings].map(([, name = '', value = '']) => [name, value]))
  return { options, env }
}
