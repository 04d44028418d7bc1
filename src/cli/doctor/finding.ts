/**
 * Severity: `fault` (it does not work, or works wrongly), `warning` (it will cause a fault), `note` (worth
 * knowing), `ok` (checked, without a fault). The first two are findings: they set the exit status.
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
