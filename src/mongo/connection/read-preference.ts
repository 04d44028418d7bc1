import { ReadPreference } from 'mongodb'
import type { ReadPreferenceName } from './database.ts'

export const READ_PREFERENCES: readonly ReadPreferenceName[] = [
  'primary',
  'primaryPreferred',
  'secondary',
  'secondaryPreferred',
  'nearest',
]

/** The minimum of MongoDB: https://www.mongodb.com/docs/manual/core/read-preference-staleness/ */
export const MAX_STALENESS_SECONDS = 90

export function viewsByPreference<View>(
  said: ReadPreference,
  primary: View,
  viewOf: (preference: ReadPreference) => View,
): (name: ReadPreferenceName | null) => View {
  const views = new Map<ReadPreferenceName, View>()
  for (const name of READ_PREFERENCES) {
    views.set(name, name === 'primary' ? primary : viewOf(bounded(name, said)))
  }
  const preferred = said.mode === 'primary' ? primary : viewOf(said)
  return (name) => (name === null ? preferred : (views.get(name) ?? primary))
}

/** Null is the preference of the URI. */
export function readPreferenceFor(
  name: ReadPreferenceName | null,
  said: ReadPreference,
): ReadPreference {
  if (name === 'primary') return ReadPreference.primary
  return name === null ? said : bounded(name, said)
}

/** Keeps the tag sets of the URI, so that a token does not leave the region that they name. */
function bounded(name: ReadPreferenceName, said: ReadPreference): ReadPreference {
  return new ReadPreference(name, said.tags, { maxStalenessSeconds: MAX_STALENESS_SECONDS })
}
