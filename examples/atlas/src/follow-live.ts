import { store } from './store.ts'

/**
 * `EventSource` cannot send credentials. It receives the changes of the public role, which covers
 * all content of this app.
 */
const ADDRESS = '/api/_live?types=article,category,country,upload.file&locale=en,de'
const REOPEN_MS = 5_000
/** Caches, including the browser's own, may serve an unchanged response for one second. */
const CACHED_MS = 1_100

/**
 * Keeps the store up to date. The server streams notices of changes. Without a stream one tab polls
 * for all (`$follow`), and so do hidden tabs, because a browser allows few connections.
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
        stream = null // refused: browsers only reconnect after a lost connection
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

/** A call during a run starts one more run after it. */
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
