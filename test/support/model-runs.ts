/**
 * Number of runs of a model test: the value of the variable, or `usual`, or `hard` in the hard suite (`hard-suite.ts`).
 */
export function modelRuns(variable: string, usual: number, hard: number): number {
  const given = process.env[variable]
  if (given !== undefined && given !== '') return Number(given)
  return isHardSuite() ? hard : usual
}

export function isHardSuite(): boolean {
  return process.env['QUIRE_TEST_HARD'] === 'on'
}

/**
 * Seeds of a run that lasts `MODEL_MINUTES`, one after the other until the time is over. The first one is `MODEL_SEED`,
 * or random. Null without `MODEL_MINUTES`: then the model has a fixed number of runs.
 */
export function longRunSeeds(): Iterable<number> | null {
  const minutes = Number(process.env['MODEL_MINUTES'] ?? 0)
  return minutes > 0 ? seedsFor(minutes) : null
}

function* seedsFor(minutes: number): Iterable<number> {
  const end = performance.now() + minutes * 60_000
  const first = Number(process.env['MODEL_SEED'] ?? Math.floor(Math.random() * 2 ** 30))
  for (let seed = first; performance.now() < end; seed += 1) yield seed
}
