import { ServiceUnavailableError } from '../../../base/errors.ts'

/** The release of this process. */
export interface SyncedRelease {
  /** When it was first started, in milliseconds. */
  readonly at: number
  /** Whether rows of a newer release are sent again. Otherwise a process of that release may be running. */
  readonly resetsNewer: boolean
}

/** Refuses no rows, and leaves no release in a token. */
export const UNKNOWN_RELEASE: SyncedRelease = { at: 0, resetsNewer: true }

/** A process of a newer release is running. Clients that retry reach it sooner or later. */
export class OlderReleaseError extends ServiceUnavailableError {
  protected override readonly usualCode = 'older_release'
  override readonly name = 'ServiceUnavailableError'

  constructor() {
    super('A newer release has sent these rows, and this process is of an older one; try again')
  }
}

/**
 * Otherwise a client between two releases would get all rows again with each request.
 * @param sent the release that sent the rows of a client
 * @throws OlderReleaseError
 */
export function assertNotNewer(sent: number, { at, resetsNewer }: SyncedRelease): void {
  if (sent > at && !resetsNewer) throw new OlderReleaseError()
}
