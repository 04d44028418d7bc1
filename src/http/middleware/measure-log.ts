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
  const registers = [registry]
  const pending = new Gauge({
    name: 'quire_log_pending',
    help: 'Commits that have no number yet',
    registers,
  })
  const lag = new Gauge({
    name: 'quire_log_lag_seconds',
    help: 'How long the oldest commit without a number has been waiting',
    registers,
  })
  const head: Gauge = new Gauge({
    name: 'quire_log_head',
    help: 'The number of the newest commit that counts',
    registers,
    collect: async () => {
      const found = await health().catch(() => null)
      if (found === null) return
      head.set(found.head?.seq ?? 0)
      pending.set(found.pending)
      lag.set(found.lagMs / 1000)
    },
  })
}

function measurePurges(registry: Registry, health: (() => Promise<MeasuredPurges>) | null): void {
  if (health === null) return
  const registers = [registry]
  const lag = new Gauge({
    name: 'quire_purge_lag_seconds',
    help: 'Age of the oldest commit that is not purged from caches in front',
    registers,
  })
  const failures = new Gauge({
    name: 'quire_purge_failures',
    help: 'Failed purges since the last success',
    registers,
  })
  const behind: Gauge = new Gauge({
    name: 'quire_purge_behind',
    help: 'Commits that are not purged from caches in front',
    registers,
    collect: async () => {
      const found = await health().catch(() => null)
      if (found === null) return
      behind.set(found.behind)
      lag.set(found.lagMs / 1000)
      failures.set(found.failures)
    },
  })
}
