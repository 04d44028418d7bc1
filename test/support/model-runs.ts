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
