import { randomName } from '../api/random-name.ts'

const LOCK = 'quire.window '

/** The name of this window until it is closed or reloaded. */
export const WINDOW = randomName()

/**
 * Holds a lock until the window is gone. Browsers have locks on HTTPS and on local servers only, and
 * can refuse them.
 */
export function announceWindow(): void {
  if (!('locks' in navigator)) return
  const hold = (lock: Lock | null): Promise<void> | undefined =>
    lock === null ? undefined : new Promise(() => undefined)
  navigator.locks.request(`${LOCK}${WINDOW}`, { ifAvailable: true }, hold).catch(() => undefined)
}

/** The names of the other windows that hold their locks. None if the browser refuses locks. */
export async function findOtherWindows(): Promise<ReadonlySet<string>> {
  if (!('locks' in navigator)) return new Set()
  const { held = [] } = await navigator.locks.query().catch((): LockManagerSnapshot => ({}))
  const names = held.flatMap(({ name = '' }) =>
    name.startsWith(LOCK) ? [name.slice(LOCK.length)] : [],
  )
  return new Set(names.filter((name) => name !== WINDOW))
}
