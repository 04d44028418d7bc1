/** What is done to a document at a time, or together with others. */
export type PlannedAction = 'publish' | 'unpublish'

/** Why it was not done. */
export interface PlannedFailure {
  readonly name: string
  readonly code: string
  readonly message: string
  /** Each by itself, where there are several. */
  readonly details: unknown
  readonly at: Date
}
