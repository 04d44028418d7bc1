/**
 * How the draft and the published version of a locale compare. A write sets `$max: UNKNOWN` on the
 * written versions only, so neither version of the locale may be `UNKNOWN`. No state means
 * `UNKNOWN`.
 */
export const STATE_FIELD = '_state'

export const STATE_SAME = 1
export const STATE_CHANGED = 2
export const STATE_UNKNOWN = 3
/** No published version. Greater than `UNKNOWN`: an edit of the draft does not change this. */
export const STATE_ALONE = 4

export type StoredState =
  typeof STATE_SAME | typeof STATE_CHANGED | typeof STATE_UNKNOWN | typeof STATE_ALONE

export const UNSETTLED = { [STATE_FIELD]: { $in: [STATE_UNKNOWN, null] } } as const
