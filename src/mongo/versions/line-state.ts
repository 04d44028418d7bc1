/**
 * The name under which a version stores how the draft and the published version of its locale compare. Hidden like
 * the revision. Versions stored before this feature have no state, which means `UNKNOWN`.
 * A write of content sets `$max: UNKNOWN` on the written versions only. A state is therefore valid only while
 * neither version of the locale is `UNKNOWN`. `settleStates` compares the others.
 */
export const STATE = '_state'

/** Both versions have the same content. */
export const SAME = 1
/** Both versions exist, and their contents differ. */
export const CHANGED = 2
/** One of the versions was written since they were compared. */
export const UNKNOWN = 3
/**
 * The draft has no published version. Greater than `UNKNOWN`, because an edit of the draft does not change this.
 */
export const ALONE = 4

export type LineState = typeof SAME | typeof CHANGED | typeof UNKNOWN | typeof ALONE

/** Matches versions whose state must be settled. */
export const UNSETTLED = { [STATE]: { $in: [UNKNOWN, null] } } as const
