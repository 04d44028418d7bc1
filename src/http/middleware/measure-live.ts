import { Gauge, Counter, type Registry } from 'prom-client'

export interface MeasuredStreams {
  readonly open: number
  readonly told: number
}

export function measureLive(registry: Registry, counts: () => MeasuredStreams): void {
  const open: Gauge = new Gauge({
    name: 'quire_live_streams',
    help: 'Streams of /api/_live that are open',
    registers: [registry],
    collect: () => {
      open.set(counts().open)
    },
  })
  const told: Counter = new Counter({
    name: 'quire_live_commits_told_total',
    help: 'Commits sent to streams of /api/_live, each counted once for every stream',
    registers: [registry],
    collect: () => {
      told.reset()
      told.inc(counts().told)
    },
  })
}
