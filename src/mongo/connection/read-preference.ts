import { ReadPreference } from 'mongodb'

export const READ_PREFERENCES = [
  'primary',
  'primaryPreferred',
  'secondary',
  'secondaryPreferred',
  'nearest',
] as const
export type ReadPreferenceName = (typeof READ_PREFERENCES)[number]

/**
 * The minimum that MongoDB accepts. Secondaries with a larger known lag are not read.
 * https://www.mongodb.com/docs/manual/core/read-preference-staleness/
 */
export const MAX_STALENESS_SECONDS = 90

export function viewsByPreference<View>(
  said: ReadPreference,
  primary: View,
  viewOf: (preference: ReadPreference) => View,
): (name: ReadPreferenceName | null) => View {
  const views = new Map<ReadPreferenceName, View>()
  for (const name of READ_PREFERENCES) {
    views.set(name, name === 'primary' ? primary : viewOf(bounded(name)))
  }
  const preferred = said.mode === 'primary' ? primary : viewOf(said)
  return (name) => (name === null ? preferred : (views.get(name) ?? primary))
}

function bounded(name: ReadPreferenceName): ReadPreference {
  return new ReadPreference(name, undefined, { maxStalenessSeconds: MAX_STALENESS_SECONDS })
}
