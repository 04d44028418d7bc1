import { readFileSync } from 'node:fs'

/** How a server is started for good. */
export interface Shipped {
  /** Of Node. */
  readonly options: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** What the image says, so that what is measured is what runs: the options of its command, and of malloc. */
export function readShipped(dockerfile = readFileSync('Dockerfile', 'utf8')): Shipped {
  const command = /^CMD (\[.*\])$/m.exec(dockerfile)?.[1] ?? '[]'
  const options = (JSON.parse(command) as readonly string[]).filter((word) => word.startsWith('--'))
  const settings = dockerfile.matchAll(/\b(MALLOC_\w+)=(\S+)/g)
  const env = Object.fromEntries([...settings].map(([, name = '', value = '']) => [name, value]))
  return { options, env }
}
