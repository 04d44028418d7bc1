import type { Command } from './command.ts'

type Described = Pick<Command, 'usage' | 'summary' | 'help' | 'options'>

export function helpOf(command: Described): string {
  const { summary, help, options } = command
  if (help !== undefined) return `${synopsisOf(command)}\n\n${help}`
  const names = [...Object.keys(options), 'json', 'help'].map((name) => `--${name}`)
  return [synopsisOf(command), '', `  ${summary}`, '', `Options: ${names.join(', ')}`].join('\n')
}

export function synopsisOf({ usage, help }: Pick<Described, 'usage' | 'help'>): string {
  return help === undefined ? `quire ${usage}` : `quire ${usage} [--json]`
}
