/** Contains no values. */
export interface QueryShape {
  readonly collection: string
  /** Sorted alphabetically. */
  readonly filtered: readonly string[]
  /** Descending paths end with `:desc`. */
  readonly sorted: readonly string[]
}

export interface ObservedCommand {
  readonly name: string
  readonly ms: number
  /** Null without a condition. */
  readonly shape: QueryShape | null
  /** For `explain` only. It contains values, so never log or store it. */
  readonly command: Readonly<Record<string, unknown>>
}

export interface CommandTally {
  /** At most `KEPT_COMMANDS` of the monitor. */
  readonly commands: readonly ObservedCommand[]
  readonly count: number
  /** Parallel commands count once. */
  readonly busyMs: number
}

/** The connections of a pool, without those for monitoring. */
export interface PoolState {
  readonly size: number
  readonly checkedOut: number
  readonly waiting: number
}

/** `requests` measures commands per request, which costs more (`docs/decisions/0024-observability.md`). */
export type MonitorMode = 'off' | 'totals' | 'requests'

export interface ReadMonitor {
  /** Counts the commands of `work` for no request. */
  unobserved<T>(work: () => Promise<T>): Promise<T>
  countCacheLoad(name: string): void
}
