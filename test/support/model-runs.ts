/**
 * How often a property runs beside its model: what the variable says, else `usual`, and in the hard suite
 * (`hard-suite.ts`) `hard` times.
 */
export function modelRuns(variable: string, usual: number, hard: number): number {
  const given = process.env[variable]
  if (given !== undefined && given !== '') return Number(given)
  return isHardSuite() ? hard : usual
}

export function isHardSuite(): boolean {
  return process.env['QUIRE_TEST_HARD'] === 'on'
}
