import { AsyncLocalStorage } from 'node:async_hooks'
import type { Caller } from '../sharing/write-turns.ts'

/** The author of a change. */
export interface Author {
  /** Such as `apiToken`, `user`, `root`, `anonymous`, `cli`, or `system` for work of the server itself. */
  readonly kind: string
  readonly id: string | number | null
  readonly name: string | null
}

/** The author of a write, and the request that caused it. */
export interface Authorship {
  readonly by: Author
  readonly requestId: string | null
}

interface Writing {
  readonly authorship: Authorship
  readonly caller: Caller | null
}

const NOBODY: Authorship = { by: { kind: 'system', id: null, name: null }, requestId: null }

const asker = new AsyncLocalStorage<Writing>()
let running = 0
let standing = NOBODY

/**
 * Runs `work`; whatever it commits, however deep in it, is of this author. So no door to content can forget to say
 * whose a write is. Node 20 pays for an AsyncLocalStorage at every promise of the process (ADR 0024): it is in use only
 * while such work is under way, so that reads are free of it.
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

/** For a process that works for one author all its life: a command. */
export function writeAlwaysAs(authorship: Authorship): void {
  standing = authorship
}

export function currentAuthorship(): Authorship {
  return asker.getStore()?.authorship ?? standing
}

/** Null where no caller waits for the work. */
export function currentCaller(): Caller | null {
  return asker.getStore()?.caller ?? null
}
