import type { ServerResponse } from 'node:http'
import type { Sink } from '../../live/live-stream.ts'

/** Of who has not read so much nothing more is kept: it goes on by the log. */
const MOST_UNREAD_BYTES = 65_536
/** How long a client may take to read that; a slower one is disconnected, and reconnects. */
const DRAIN_MS = 30_000

/** Events go to a response. */
export function responseSink(res: ServerResponse): Sink {
  return {
    write: (text) => {
      if (!res.closed && !res.writableEnded) res.write(text)
    },
    isBehind: () => res.writableLength > MOST_UNREAD_BYTES,
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
