/** Structure of a command without values: names of attributes only. */
export interface QueryShape {
  readonly collection: string
  /** Paths of attributes in conditions, sorted alphabetically. */
  readonly filtered: readonly string[]
  /** In sort order. Descending paths end with `:desc`. */
  readonly sorted: readonly string[]
}

/** A completed command. */
export interface ObservedCommand {
  /** Name of the MongoDB command, such as `find`. */
  readonly name: string
  readonly ms: number
  /** Null for commands without a condition. */
  readonly shape: QueryShape | null
  /** The full command, for `explain` only. It contains values, so never log or store it. */
  readonly command: Readonly<Record<string, unknown>>
}

/** Commands of one request. */
export interface CommandTally {
  /** The first commands, up to `KEPT_COMMANDS` of the monitor. */
  readonly commands: readonly ObservedCommand[]
  readonly count: number
  /** Time with at least one running command. Parallel commands count once. */
  readonly busyMs: number
}

/** Connections of a database, without monitoring connections. */
export interface PoolState {
  readonly size: number
  readonly checkedOut: number
  readonly waiting: number
}

/**
 * `off` measures no commands, `totals` all commands together, and `requests` also the commands per
 * request, which costs more. See the figures in `docs/decisions/0024-observability.md`.
 */
export type MonitorMode = 'off' | 'totals' | 'requests'

/** The part of the command monitor that reads use. */
export interface ReadMonitor {
  /** Counts the commands of `work` for no request. */
  unobserved<T>(work: () => Promise<T>): Promise<T>
  countCacheLoad(name: string): void
}
