/**
 * The locale of versions whose content-type has none. A text and not null: `{ locale: null }` matches
 * what has no such field as well, so that an index could neither bound nor count by it
 * (docs/decisions/0027-no-locale-is-a-text.md).
 */
export const NO_LOCALE = ''
