import type { ContentService } from './content-service.ts'
import type { ExtensionLog } from './extension-log.ts'

export interface JobEvent {
  readonly content: ContentService
  readonly log: ExtensionLog
  /** The planned time. For runs that catch up, the latest missed time. */
  readonly at: Date
  /** Aborted at the deadline and when the server stops. Afterwards `content` refuses every call. */
  readonly signal: AbortSignal
}

/** Runs once in the whole cluster. */
export interface ExtensionJob {
  readonly name: string
  /** Five fields: minute, hour, day of the month, month, day of the week. */
  readonly cron: string
  /** An IANA name, such as `Europe/Paris`. The default is UTC. */
  readonly timeZone?: string
  /** Runs once after a restart if times were missed or a run was interrupted. */
  readonly catchUp?: boolean
  /** The deadline in milliseconds, at most a day. The default is 10 minutes. */
  readonly timeoutMs?: number
  run(event: JobEvent): void | Promise<void>
}

export const DEFAULT_JOB_TIMEOUT_MS = 600_000
export const MAX_JOB_TIMEOUT_MS = 86_400_000
