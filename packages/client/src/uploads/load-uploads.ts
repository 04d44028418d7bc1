import type { Call } from '../call.ts'

type Send = (call: Call) => Promise<unknown>

/** @throws TypeError without a network, if the app was built as several scripts */
export async function loadUploads() {
  const modules = [import('./upload-queued-file.ts'), import('./send-parts.ts')] as const
  const [{ uploadQueuedFile }] = await Promise.all(modules)
  return uploadQueuedFile
}

/**
 * For a store with a user, loads the modules as soon as the network works. Browsers before 2026 repeat a failed import
 * only after a reload of the page, so that a file which was added offline would wait for it.
 */
export function loadingUploads(send: Send, user: string | undefined): Send {
  if (user === undefined) return send
  return async (call) => {
    const answer = await send(call)
    loadUploads().catch(() => undefined)
    return answer
  }
}
