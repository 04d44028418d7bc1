import { createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import { CommandError } from '../errors.ts'
import { documentOf } from '../bson/values.ts'
import { dispatch, toReply } from './dispatch.ts'
import type { Report } from './dispatch.ts'
import type { Reader } from './reader-process.ts'
import type { Engines } from './keep-engine.ts'
import { encodeReply, frameReader, headOf, parseMessage } from '../request/message.ts'
import type { Message, MessageHead } from '../request/message.ts'

/** A Unix socket path, or a loopback port that the system chooses. */
export type Listen = { readonly path: string } | { readonly host: '127.0.0.1'; readonly port: 0 }

export interface RunningServer {
  readonly port: number | null
  /** Ends all connections, because their cursors and sessions are lost. */
  dropConnections(): void
  close(): Promise<void>
}

/** A command that is nested too deeply is refused. A malformed frame ends its connection only. */
function parse(
  frame: Buffer,
): Message | { readonly head: MessageHead; readonly refusal: CommandError } {
  try {
    return parseMessage(frame)
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    const head = error.codeName === 'Overflow' ? headOf(frame) : null
    if (head) return { head, refusal: error }
    throw new Error(error.message, { cause: error })
  }
}

async function answerFrame(
  engines: Engines,
  socket: Socket,
  frame: Buffer,
  report: Report,
  reader: Reader,
): Promise<void> {
  const parsed = parse(frame)
  const message = 'refusal' in parsed ? parsed.head : parsed
  const reply =
    'refusal' in parsed
      ? toReply(parsed.refusal)
      : await dispatch(engines, parsed, socket, report, { reader })
  if (!message.wantsReply || socket.destroyed) return
  let bytes: Buffer
  try {
    bytes = encodeReply(message, reply)
  } catch (error) {
    report('encoding a reply', error)
    bytes = encodeReply(
      message,
      documentOf({
        ok: 0,
        errmsg: 'the reply could not be encoded',
        code: 1,
        codeName: 'InternalError',
      }),
    )
  }
  if (!socket.write(bytes)) await drained(socket)
}

/**
 * Waits until the client has read the pending replies, so that replies do not pile up for a client
 * that reads none.
 */
function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      socket.off('drain', done)
      socket.off('close', done)
      resolve()
    }
    socket.on('drain', done)
    socket.on('close', done)
  })
}

/** Reading from a connection pauses at this number of unanswered messages. */
const MOST_WAITING = 2

/** Serves one connection. Replies are sent in the order of the messages. */
function serve(engines: Engines, socket: Socket, report: Report, reader: Reader): void {
  const read = frameReader()
  let work = Promise.resolve()
  let waiting = 0
  const answered = (): void => {
    if (--waiting < MOST_WAITING && socket.isPaused()) socket.resume()
  }
  socket.setNoDelay(true)
  socket.on('error', () => socket.destroy())
  socket.on('data', (chunk: Buffer) => {
    try {
      for (const frame of read(chunk)) {
        work = work
          .then(() =>
            socket.destroyed ? undefined : answerFrame(engines, socket, frame, report, reader),
          )
          .catch(() => {
            socket.destroy()
          })
          .finally(answered)
        if (++waiting >= MOST_WAITING) socket.pause()
      }
    } catch {
      socket.destroy()
    }
  })
}

export async function startServer(
  engines: Engines,
  listen: Listen,
  report: Report,
  reader: Reader,
): Promise<RunningServer> {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => {
      sockets.delete(socket)
      engines.disconnected(socket)
    })
    serve(engines, socket, report, reader)
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(listen, resolve)
  })
  const address = server.address()
  const dropConnections = (): void => sockets.forEach((socket) => socket.destroy())
  return {
    port: typeof address === 'object' ? (address?.port ?? null) : null,
    dropConnections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        dropConnections()
      }),
  }
}
