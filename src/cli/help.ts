import { readFileSync } from 'node:fs'
import type { Command } from './command.ts'

/** What a command does and takes. */
export function helpOf({ usage, summary, options }: Command): string {
  const names = [...Object.keys(options), 'json', 'help'].map((name) => `--${name}`)
  return [`quire ${usage}`, '', `  ${summary}`, '', `Options: ${names.join(', ')}`].join('\n')
}

/** The version of the package that this file is part of. */
export function versionText(): string {
  const file = new URL('../../../package.json', import.meta.url)
  const { version } = JSON.parse(readFileSync(file, 'utf8')) as { readonly version: string }
  return version
}
