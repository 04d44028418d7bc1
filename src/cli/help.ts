import type { Command } from './command.ts'

export function helpOf({ usage, summary, options }: Command): string {
  const names = [...Object.keys(options), 'json', 'help'].map((name) => `--${name}`)
  return [`quire ${usage}`, '', `  ${summary}`, '', `Options: ${names.join(', ')}`].join('\n')
}
