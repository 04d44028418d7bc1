import type { ServerResponse } from 'node:http'
import type { Sink } from '../../changes/live/live-stream.ts'
import type { Context } from '../router/state.ts'

/** With more unread bytes no further events are buffered. The stream later continues from the log. */
const MAX_UNREAD_BYTES = 65_536
/** Deadline for reading the buffered bytes. A slower client is disconnected and reconnects. */
const DRAIN_MS = 30_000

/** Sets the headers of a stream of events. The response to HEAD is complete then. */
export function prepareEvents(ctx: Context): void {
  ctx.set('Cache-Control', 'private, no-store, no-transform')
  ctx.set('X-Accel-Buffering', 'no') // disables buffering in nginx
  ctx.type = 'text/event-stream; charset=utf-8'
  ctx.status = 200
}

/** The stream writes to the response from here on. Koa and its middleware no longer modify it. */
export function beginEvents(ctx: Context): void {
  ctx.respond = false
  ctx.res.flushHeaders()
}

export function responseSink(res: ServerResponse): Sink {
  return {
    write: (text) => {
      if (!res.closed && !res.writableEnded) res.write(text)
    },
    isBehind: () => res.writableLength > MAX_UNREAD_BYTES,
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
