import { Counter, Gauge, type Registry } from 'prom-client'

export interface MeasuredAnswers {
  readonly hits: number
  readonly misses: number
  readonly evictions: number
  readonly entries: number
  readonly bytes: number
}

export function measureAnswers(registry: Registry, counts: () => MeasuredAnswers): void {
  const counters = [
    ['hits', 'Reads that were answered from memory'],
    ['misses', 'Reads whose answer was not in memory, or no longer valid'],
    ['evictions', 'Answers that were dropped from memory to make room for others'],
  ] as const
  for (const [member, help] of counters) {
    const counter: Counter = new Counter({
      name: `quire_answer_cache_${member}_total`,
      help,
      registers: [registry],
      collect: () => {
        counter.reset()
        counter.inc(counts()[member])
      },
    })
  }
  const gauges = [
    ['entries', 'Answers in memory'],
    ['bytes', 'What the answers in memory take, packed ones as well'],
  ] as const
  for (const [member, help] of gauges) {
    const gauge: Gauge = new Gauge({
      name: `quire_answer_cache_${member}`,
      help,
      registers: [registry],
      collect: () => {
        gauge.set(counts()[member])
      },
    })
  }
}
