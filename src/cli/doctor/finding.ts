/**
 * How bad it is: `fault` (it does not work, or not as it must), `warning` (it will hurt), `note` (worth
 * knowing), `ok` (looked at, and well). The first two are findings: the exit status tells of them.
 */
export type Level = 'fault' | 'warning' | 'note' | 'ok'

export interface Finding {
  /** What was looked at, in one or two words. */
  readonly check: string
  readonly level: Level
  /** One sentence: what is so, and what would be right. */
  readonly what: string
}

export function isBad({ level }: Pick<Finding, 'level'>): boolean {
  return level === 'fault' || level === 'warning'
}
