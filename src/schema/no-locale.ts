/** Not null: `{ locale: null }` also matches a missing field, so no index could bound or count it (ADR 0027). */
export const NO_LOCALE = ''
