/**
 * Not null, because `{ locale: null }` also matches a missing field, so no index could bound or
 * count it (docs/decisions/0027-no-locale-is-a-text.md).
 */
export const NO_LOCALE = ''
