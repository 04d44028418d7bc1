/** `warning`: will cause a fault. Faults and warnings set the exit status. */
export type Level = 'fault' | 'warning' | 'note' | 'ok'

export interface Finding {
  readonly check: string
  readonly level: Level
  readonly what: string
}

export function isBad({ level }: Pick<Finding, 'level'>): boolean {
  return level === 'fault' || level === 'warning'
}
