export interface Spread {
  readonly mean: number
  readonly min: number
  readonly max: number
}

/**
 * The nearest-rank percentile.
 * @throws RangeError if the sample is empty
 */
export function computePercentile(sample: readonly number[], share: number): number {
  const sorted = sample.toSorted((one, other) => one - other)
  const value = sorted[Math.max(Math.ceil(sorted.length * share) - 1, 0)]
  if (value === undefined) throw new RangeError('the sample is empty')
  return value
}

/** @throws RangeError if the sample is empty */
export function computeSpread(sample: readonly number[]): Spread {
  if (sample.length === 0) throw new RangeError('the sample is empty')
  const mean = sample.reduce((sum, value) => sum + value, 0) / sample.length
  return { mean, min: Math.min(...sample), max: Math.max(...sample) }
}
