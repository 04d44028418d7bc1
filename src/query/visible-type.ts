/** For rows that refer to content, such as those of the trash or of schedules. */
export interface VisibleType {
  readonly type: string
  /** A row is visible only if it has one of these locales. `[NO_LOCALE]` for types that are not localized. */
  readonly locales: readonly string[]
  /** A row with any of these locales is invisible. Deleted locales hide no rows. */
  readonly hidden: readonly string[]
}
