import { Gauge, type Registry } from 'prom-client'

export interface MeasuredLog {
  readonly head: { readonly seq: number } | null
  readonly pending: number
  readonly lagMs: number
}

export interface MeasuredPurges {
  readonly behind: number
  readonly lagMs: number
  readonly failures: number
}

export interface MeasuredConversion {
  /** Versions with another value since. */
  readonly rewritten: number
  readonly endedAt: Date | null
}

/** Each scrape queries the database once per group. If that fails, the gauges keep their values. */
export function measureLog(
  registry: Registry,
  log: () => Promise<MeasuredLog>,
  purges: (() => Promise<MeasuredPurges>) | null,
): void {
  measureNumbers(registry, log)
  if (purges !== null) measurePurges(registry, purges)
}

function measureNumbers(registry: Registry, health: () => Promise<MeasuredLog>): void {
  const pending = gauge(registry, 'quire_log_pending', 'Commits that have no number yet')
  const lag = gauge(
    registry,
    'quire_log_lag_seconds',
    'How long the oldest commit without a number has been waiting',
  )
  const help = 'The number of the newest commit that counts'
  const head = gauge(registry, 'quire_log_head', help, async () => {
    const found = await health().catch(() => null)
    if (found === null) return
    head.set(found.head?.seq ?? 0)
    pending.set(found.pending)
    lag.set(found.lagMs / 1000)
  })
}

/** Another process may be converting, as its server does not listen yet. */
export function measureConversion(
  registry: Registry,
  read: () => Promise<MeasuredConversion | null>,
): void {
  const found = () => read().catch(() => undefined)
  const counted = 'Versions that the last conversion to a new type has rewritten'
  const rewritten = gauge(registry, 'quire_conversion_rewritten', counted, async () => {
    const row = await found()
    if (row !== undefined) rewritten.set(row?.rewritten ?? 0)
  })
  const help = 'Whether a conversion to a new type is unfinished'
  const unfinished = gauge(registry, 'quire_conversion_unfinished', help, async () => {
    const row = await found()
    if (row !== undefined) unfinished.set(row !== null && row.endedAt === null ? 1 : 0)
  })
}

/** Without followed collections (null), the metric is 0. */
export function measureForeign(
  registry: Registry,
  health: (() => Promise<{ readonly lagMs: number }>) | null,
): void {
  const help =
    'Age of the newest change of an adopted collection in the log, at most about 1 without changes'
  const lag = gauge(registry, 'quire_foreign_lag_seconds', help, async () => {
    const found = await health?.().catch(() => null)
    if (found) lag.set(found.lagMs / 1000)
  })
}

function measurePurges(registry: Registry, health: () => Promise<MeasuredPurges>): void {
  const lag = gauge(
    registry,
    'quire_purge_lag_seconds',
    'Age of the oldest commit that is not purged from caches in front',
  )
  const failures = gauge(registry, 'quire_purge_failures', 'Failed purges since the last success')
  const help = 'Commits that are not purged from caches in front'
  const behind = gauge(registry, 'quire_purge_behind', help, async () => {
    const found = await health().catch(() => null)
    if (found === null) return
    behind.set(found.behind)
    lag.set(found.lagMs / 1000)
    failures.set(found.failures)
  })
}

function gauge(
  registry: Registry,
  name: string,
  help: string,
  collect?: () => Promise<void>,
): Gauge {
  const options = { name, help, registers: [registry] }
  return new Gauge(collect === undefined ? options : { ...options, collect })
}
