/**
 * How often a property runs beside its model: what the variable says, else `usual`, and ten times as often in the hard
 * suite (`hard-suite.ts`).
 */
export function modelRuns(variable: string, usual: number): number {
  const given = process.env[variable]
  if (given !== undefined && given !== '') return Number(given)
  return process.env['QUIRE_TEST_HARD'] === 'on' ? usual * 10 : usual
}
