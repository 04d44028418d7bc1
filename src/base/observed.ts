/** What a command asks for, without a single value it asks with: names of attributes alone. */
export interface QueryShape {
  readonly collection: string
  /** Paths of stored attributes that conditions name, in alphabetical order. */
  readonly filtered: readonly string[]
  /** In the order of the sort; `:desc` follows what is descending. */
  readonly sorted: readonly string[]
}

/** A command that the database has answered. */
export interface ObservedCommand {
  /** As the server knows it, such as `find`. */
  readonly name: string
  readonly ms: number
  /** Null for what reads by no condition. */
  readonly shape: QueryShape | null
  /** With its operands: to be explained, and never to be logged or stored. */
  readonly command: Readonly<Record<string, unknown>>
}

/** What one request asked of the database. */
export interface CommandTally {
  /** The first of them (`KEPT_COMMANDS` of the monitor). */
  readonly commands: readonly ObservedCommand[]
  readonly count: number
  /** How long at least one command was under way: two at once count once. */
  readonly busyMs: number
}

/** The connections of a database, those of monitoring left out. */
export interface PoolState {
  readonly size: number
  readonly checkedOut: number
  readonly waiting: number
}

/**
 * `off`: nothing of commands is known. `totals`: of all together. `requests`: of each request as well,
 * which costs more. `docs/decisions/0024-observability.md` has the figures.
 */
export type MonitorMode = 'off' | 'totals' | 'requests'
