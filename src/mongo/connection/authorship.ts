import { AsyncLocalStorage } from 'node:async_hooks'
import type { Caller } from '../../base/caller.ts'

export interface Author {
  /** For example `apiToken`, `user`, `root`, `anonymous`, `cli`, or `system` for background work of the server. */
  readonly kind: string
  readonly id: string | number | null
  readonly name: string | null
  /** Writes of an extension: the length of the chain of extensions that caused them. */
  readonly depth?: number
}

export interface Authorship {
  readonly by: Author
  readonly requestId: string | null
  /** Set if the request wrote an earlier version again. */
  readonly via?: 'restore'
}

export interface WriteOrigin {
  readonly authorship: Authorship
  /** Null if no client waits. */
  readonly caller: Caller | null
}

export const SYSTEM: WriteOrigin = {
  authorship: { by: { kind: 'system', id: null, name: null }, requestId: null },
  caller: null,
}

const asker = new AsyncLocalStorage<WriteOrigin>()
let running = 0
let standing = SYSTEM

/**
 * Attributes all commits of `work` to this author, unless a transaction has an origin of its own.
 * The AsyncLocalStorage is enabled for writes only, because it slows promises down on Node 20 (ADR 0024).
 */
export async function writingAs<T>(
  authorship: Authorship,
  work: () => Promise<T>,
  caller: Caller | null = null,
): Promise<T> {
  running += 1
  try {
    return await asker.run({ authorship, caller }, work)
  } finally {
    running -= 1
    if (running === 0) asker.disable()
  }
}

/** Sets the default author of a process that works for one author only, such as a CLI command. */
export function writeAlwaysAs(authorship: Authorship): void {
  standing = { authorship, caller: null }
}

export function currentOrigin(): WriteOrigin {
  return asker.getStore() ?? standing
}

export function currentAuthorship(): Authorship {
  return currentOrigin().authorship
}
