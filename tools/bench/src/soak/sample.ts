export interface Figures {
  readonly residentBytes: number
  /** Includes garbage that is not collected yet. */
  readonly heapUsedBytes: number
  /** Event loop lag since the last sample, 99th percentile. */
  readonly lagMs: number
  /** Responses from the cache since the start. */
  readonly keptAnswers: number
}

export interface SoakSample extends Figures {
  /** Since the start of the load. */
  readonly seconds: number
  readonly requests: number
}

/**
 * Reads `/metrics`.
 * @throws Error if the server does not respond or a metric is missing
 */
export async function readFigures(base: string): Promise<Figures> {
  const response = await fetch(`${base}/metrics`, { signal: AbortSignal.timeout(30_000) })
  const text = await response.text()
  const valueOf = (name: string): number => {
    const value = new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1]
    if (value === undefined) throw new Error(`${base}/metrics (${response.status}) has no ${name}`)
    return Number(value)
  }
  return {
    residentBytes: valueOf('process_resident_memory_bytes'),
    heapUsedBytes: valueOf('nodejs_heap_size_used_bytes'),
    lagMs: valueOf('nodejs_eventloop_lag_p99_seconds') * 1000,
    keptAnswers: valueOf('quire_answer_cache_hits_total'),
  }
}

/** The least-squares slope over the second half of the samples. 0 for fewer than two samples. */
export function computeResidentGrowth(samples: readonly SoakSample[]): number {
  const half = (samples.at(-1)?.seconds ?? 0) / 2
  const points = samples.filter(({ seconds }) => seconds >= half)
  const mean = (valueOf: (sample: SoakSample) => number): number =>
    points.reduce((sum, sample) => sum + valueOf(sample), 0) / points.length
  const meanSeconds = mean(({ seconds }) => seconds)
  const meanBytes = mean(({ residentBytes }) => residentBytes)
  const spread = mean(({ seconds }) => (seconds - meanSeconds) ** 2)
  if (points.length < 2 || spread === 0) return 0
  const joint = mean(
    ({ seconds, residentBytes }) => (seconds - meanSeconds) * (residentBytes - meanBytes),
  )
  return (joint / spread) * 3600
}
