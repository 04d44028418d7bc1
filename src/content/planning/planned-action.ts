/** An action that can be scheduled or part of a release. */
export type PlannedAction = 'publish' | 'unpublish'

/** Reason of a failure. */
export interface PlannedFailure {
  readonly name: string
  readonly code: string
  readonly message: string
  /** Contains each fault if there are several. */
  readonly details: unknown
  readonly at: Date
}
