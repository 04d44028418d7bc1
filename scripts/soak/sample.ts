/** What a server says of itself. */
export interface Figures {
  readonly residentBytes: number
  /** Garbage that has not been collected yet included. */
  readonly heapUsedBytes: number
  /** Of the event loop since the sample before, the 99th percentile. */
  readonly lagMs: number
  /** Answers from memory since the start. */
  readonly keptAnswers: number
}

/** At one moment of the load. */
export interface Sample extends Figures {
  /** Since the load began. */
  readonly seconds: number
  /** Sent until then. */
  readonly requests: number
}

/**
 * Reads `/metrics`.
 *
 * @throws Error when there is no answer, or one without these figures
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

/** The slope of the line through the samples of the second half, by least squares; 0 for less than two. */
export function residentBytesPerHour(samples: readonly Sample[]): number {
  const half = (samples.at(-1)?.seconds ?? 0) / 2
  const points = samples.filter(({ seconds }) => seconds >= half)
  const mean = (valueOf: (sample: Sample) => number): number =>
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
