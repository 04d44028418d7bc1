/**
 * The name under which a version stores how the draft and the published version of its locale compare. Hidden like
 * the revision. Versions stored before this feature have no state, which means `UNKNOWN`.
 * A write of content sets `$max: UNKNOWN` on the written versions only. A state is therefore valid only while
 * neither version of the locale is `UNKNOWN`. `settleStates` compares the others.
 */
export const STATE_FIELD = '_state'

/** Both versions have the same content. */
export const STATE_SAME = 1
/** Both versions exist, and their contents differ. */
export const STATE_CHANGED = 2
/** One of the versions was written since they were compared. */
export const STATE_UNKNOWN = 3
/**
 * The draft has no published version. Greater than `UNKNOWN`, because an edit of the draft does not change this.
 */
export const STATE_ALONE = 4

export type StoredState =
  typeof STATE_SAME | typeof STATE_CHANGED | typeof STATE_UNKNOWN | typeof STATE_ALONE

/** Matches versions whose state must be settled. */
export const UNSETTLED = { [STATE_FIELD]: { $in: [STATE_UNKNOWN, null] } } as const
