import { Gauge, type Registry } from 'prom-client'

/** What is measured of the commit log. */
export interface MeasuredLog {
  readonly head: { readonly seq: number } | null
  readonly pending: number
  readonly lagMs: number
}

/** Asks once for each collection of metrics, all gauges together; a database that does not answer leaves them as they were. */
export function measureLog(registry: Registry, health: () => Promise<MeasuredLog>): void {
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
