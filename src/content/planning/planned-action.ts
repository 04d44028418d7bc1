export type PlannedAction = 'publish' | 'unpublish'

export interface PlannedFailure {
  readonly name: string
  readonly code: string
  readonly message: string
  /** Contains each fault if there are several. */
  readonly details: unknown
  readonly at: Date
}
