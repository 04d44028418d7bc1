import type { Command } from './command.ts'

/** What a command does and takes. */
export function helpOf({ usage, summary, options }: Command): string {
  const names = [...Object.keys(options), 'json', 'help'].map((name) => `--${name}`)
  return [`quire ${usage}`, '', `  ${summary}`, '', `Options: ${names.join(', ')}`].join('\n')
}
