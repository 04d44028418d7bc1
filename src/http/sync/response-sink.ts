import type { ServerResponse } from 'node:http'
import type { Sink } from '../../live/live-stream.ts'

/** Who has not read so much of what was written before is cut off: it comes back, and is told what it has missed. */
const MOST_UNREAD_BYTES = 65_536
/** How long somebody may take to read what it has missed, a block at a time. */
const DRAIN_MS = 30_000

/** Events go to a response. */
export function responseSink(res: ServerResponse): Sink {
  return {
    write: (text) => {
      if (res.closed || res.writableEnded) return
      if (res.writableLength > MOST_UNREAD_BYTES) res.destroy()
      else res.write(text)
    },
    drained: async () => {
      if (!res.writableNeedDrain || res.closed) return
      await new Promise<void>((resolve) => {
        const cut = setTimeout(() => res.destroy(), DRAIN_MS)
        const done = (): void => {
          clearTimeout(cut)
          res.off('drain', done)
          res.off('close', done)
          resolve()
        }
        res.on('drain', done)
        res.on('close', done)
      })
    },
    end: (text) => {
      if (!res.closed && !res.writableEnded) res.end(text)
    },
  }
}
