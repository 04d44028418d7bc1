import type { ContentService } from './content-service.ts'

export interface ContentCaller {
  readonly extension: string
  /** The `depth` of the commits of this caller: 1, or more if another extension caused the call. */
  readonly depth: number
}

export interface FailedCall {
  readonly extension: string
  /** The function, such as `beforeWrite of api::article.article`. */
  readonly call: string
  readonly requestId: string | null
  readonly error: unknown
}

/** The parts of the server that extensions use. The server sets them when they are open. */
export interface ExtensionHost {
  content: (caller: ContentCaller) => ContentService
  report: (failed: FailedCall) => void
  hookTimeoutMs: number
  routeTimeoutMs: number
  followerTimes: FollowerTimes
  searchTimes: SearchTimes
  translateTimes: TranslateTimes
}

/** In milliseconds. Absent ones have defaults. */
export interface FollowerTimes {
  /** Deadline of a call of `afterCommit`. */
  readonly callMs?: number
  /** Longer calls delay no other document. */
  readonly stepMs?: number
  readonly leaseMs?: number
  /** Between the attempts. */
  readonly delays?: readonly number[]
}

/** Deadlines of a search provider, in milliseconds. Absent ones have defaults. */
export interface SearchTimes {
  readonly findMs?: number
  readonly stepMs?: number
}

/** Deadlines of a translation service, in milliseconds. Absent ones have defaults. */
export interface TranslateTimes {
  readonly callMs?: number
  /** Of all calls of a request. */
  readonly allMs?: number
}

const HOOK_TIMEOUT_MS = 5_000
const ROUTE_TIMEOUT_MS = 30_000

export function openHost(): ExtensionHost {
  return {
    content: () => {
      throw new Error('The content service is not open in this process')
    },
    report: () => undefined,
    hookTimeoutMs: HOOK_TIMEOUT_MS,
    routeTimeoutMs: ROUTE_TIMEOUT_MS,
    followerTimes: {},
    searchTimes: {},
    translateTimes: {},
  }
}
