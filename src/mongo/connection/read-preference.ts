import { ReadPreference } from 'mongodb'

/** Which members of a replica set are read, in MongoDB's words. */
export const READ_PREFERENCES = [
  'primary',
  'primaryPreferred',
  'secondary',
  'secondaryPreferred',
  'nearest',
] as const
export type ReadPreferenceName = (typeof READ_PREFERENCES)[number]

/**
 * The least that MongoDB lets one ask for: a secondary that is known to be further behind is not read.
 * https://www.mongodb.com/docs/manual/core/read-preference-staleness/
 */
export const MAX_STALENESS_SECONDS = 90

/**
 * One view for each preference, made once: `primary` for itself, what `viewOf` makes for the others, and for
 * null what the connection string has `said`.
 */
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
