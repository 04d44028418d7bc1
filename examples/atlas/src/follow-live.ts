import { store } from './store.ts'

/** An `EventSource` signs nobody in: it hears what the public role may sync, which is all that this app shows. */
const ADDRESS = '/api/_live?types=article,category,country,upload.file&locale=en,de'
const REOPEN_MS = 5_000
/** A cache, the browser's own as well, may keep the answer that nothing has changed for a second. */
const CACHED_MS = 1_100

/**
 * Keeps the store up to date: the server says at once when something has changed. While there is no such stream, requests
 * wait for changes (`$follow`), of all tabs in one; so they do for a tab that nobody sees, as a browser has few connections.
 */
export function followLive(): void {
  let stream: EventSource | null = null
  let stopWaiting: (() => void) | null = null
  const wait = (): void => {
    stopWaiting ??= store.$follow()
  }
  const sync = oneAtATime(() => store.$sync().catch(wait))
  let again: ReturnType<typeof setTimeout> | undefined
  const catchUp = (): void => {
    sync()
    clearTimeout(again)
    again = setTimeout(sync, CACHED_MS)
  }
  const open = (): void => {
    if (stream !== null || document.hidden) return
    const opened = new EventSource(ADDRESS)
    stream = opened
    opened.addEventListener('open', () => {
      stopWaiting?.()
      stopWaiting = null
      catchUp()
    })
    for (const type of ['message', 'reset']) opened.addEventListener(type, catchUp)
    opened.addEventListener('error', () => {
      wait()
      if (opened.readyState === EventSource.CLOSED && stream === opened) {
        stream = null // refused: a browser tries again by itself only where a connection was lost
        setTimeout(open, REOPEN_MS)
      }
    })
  }
  document.addEventListener('visibilitychange', () => {
    if (!document.hidden) {
      open()
      return
    }
    stream?.close()
    stream = null
    wait()
  })
  wait()
  open()
}

/** Runs once more after a run during which it was asked for. */
function oneAtATime(run: () => Promise<unknown>): () => void {
  let isRunning = false
  let isAsked = false
  const runAll = async (): Promise<void> => {
    isRunning = true
    while (isAsked) {
      isAsked = false
      await run()
    }
    isRunning = false
  }
  return () => {
    isAsked = true
    if (!isRunning) void runAll()
  }
}
