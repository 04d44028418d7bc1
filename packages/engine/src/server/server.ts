import { createServer } from 'node:net'
import type { Server, Socket } from 'node:net'
import { CommandError } from '../errors.ts'
import { toDocument } from '../bson/values.ts'
import { dispatchMessage, toReply } from './dispatch.ts'
import type { ReportError } from './dispatch.ts'
import type { Reader } from './reader-process.ts'
import type { Engines } from './keep-engine.ts'
import {
  encodeReply,
  createFrameReader,
  readMessageHead,
  parseMessage,
} from '../request/message.ts'
import type { Message, MessageHead } from '../request/message.ts'

export type ListenAddress =
  { readonly path: string } | { readonly host: '127.0.0.1'; readonly port: 0 }

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
    const head = error.codeName === 'Overflow' ? readMessageHead(frame) : null
    if (head) return { head, refusal: error }
    throw new Error(error.message, { cause: error })
  }
}

async function answerFrame(
  engines: Engines,
  socket: Socket,
  frame: Buffer,
  report: ReportError,
  reader: Reader | null,
): Promise<void> {
  const parsed = parse(frame)
  const message = 'refusal' in parsed ? parsed.head : parsed
  const reply =
    'refusal' in parsed
      ? toReply(parsed.refusal)
      : await dispatchMessage(engines, parsed, socket, report, { reader })
  if (!message.wantsReply || socket.destroyed) return
  let bytes: Buffer
  try {
    bytes = encodeReply(message, reply)
  } catch (error) {
    report('encoding a reply', error)
    bytes = encodeReply(
      message,
      toDocument({
        ok: 0,
        errmsg: 'the reply could not be encoded',
        code: 1,
        codeName: 'InternalError',
      }),
    )
  }
  if (!socket.write(bytes)) await drained(socket)
}

/** Replies must not pile up for a client that reads none. */
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

const MAX_UNANSWERED_MESSAGES = 2

/** Serves one connection. Replies are sent in the order of the messages. */
function serve(engines: Engines, socket: Socket, report: ReportError, reader: Reader | null): void {
  const read = createFrameReader()
  let work = Promise.resolve()
  let waiting = 0
  const answered = (): void => {
    if (--waiting < MAX_UNANSWERED_MESSAGES && socket.isPaused()) socket.resume()
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
        if (++waiting >= MAX_UNANSWERED_MESSAGES) socket.pause()
      }
    } catch {
      socket.destroy()
    }
  })
}

export async function startServer(
  engines: Engines,
  listen: ListenAddress,
  report: ReportError,
  reader: Reader | null,
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
