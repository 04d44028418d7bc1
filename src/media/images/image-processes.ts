import { type ChildProcess, fork } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import type { ImageReply, ImageTask } from './image-process.ts'
import type { Image } from './read-image.ts'

export interface ImageProcesses {
  /** @throws TooSlow above the time limit, Aborted, or an Error, with a `code` for system errors */
  readonly run: (task: ImageTask, signal?: AbortSignal) => Promise<Image | null>
}

export class TooSlow extends Error {}

export class Aborted extends Error {}

/** An idle process exits after this time to free its memory. */
const IDLE_MS = 10_000

const PROGRAM = new URL(`./image-process${import.meta.url.slice(-3)}`, import.meta.url)

/** Decoders process untrusted input, so they get no secrets of the server. */
const PASSED_ON = ['PATH', 'HOME', 'LANG', 'LD_LIBRARY_PATH', 'TMPDIR', 'SystemRoot'] as const

export function openImageProcesses(maxMs: number): ImageProcesses {
  const idle = new Map<ChildProcess, NodeJS.Timeout>()
  const take = (): ChildProcess => {
    for (const [child, timer] of idle) {
      clearTimeout(timer)
      idle.delete(child)
      if (child.connected) return child
    }
    return start()
  }
  const put = (child: ChildProcess): void => {
    child.unref()
    child.channel?.unref()
    idle.set(child, setTimeout(() => child.kill('SIGKILL'), IDLE_MS).unref())
  }
  return {
    run: async (task, signal) => {
      if (signal?.aborted === true) throw new Aborted()
      const child = take()
      child.ref()
      child.channel?.ref()
      const reply = await replyOf(child, task, maxMs, signal).catch((error: unknown) => {
        child.kill('SIGKILL')
        throw error
      })
      put(child)
      return valueOf(reply)
    },
  }
}

function start(): ChildProcess {
  const env = Object.fromEntries(PASSED_ON.map((name) => [name, process.env[name]]))
  const child = fork(PROGRAM, [], {
    env,
    execArgv: [],
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  child.on('error', () => undefined) // `exit` follows, or `replyOf` gets the error
  try {
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It has exited, or the system has no priorities. Work can continue either way.
  }
  return child
}

function replyOf(
  child: ChildProcess,
  task: ImageTask,
  maxMs: number,
  signal: AbortSignal | undefined,
): Promise<ImageReply> {
  return new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      clearTimeout(timer)
      child.off('message', onMessage)
      child.off('exit', onExit)
      child.off('error', onExit)
      signal?.removeEventListener('abort', onAbort)
      act()
    }
    const onMessage = (reply: ImageReply): void => settle(() => resolve(reply))
    // Out of memory or a crashed decoder: the image is treated as broken.
    const onExit = (): void => settle(() => reject(new Error('the process ended in the middle')))
    const onAbort = (): void => settle(() => reject(new Aborted()))
    const timer = setTimeout(() => settle(() => reject(new TooSlow())), maxMs)
    child.on('message', onMessage)
    child.on('exit', onExit)
    child.on('error', onExit)
    signal?.addEventListener('abort', onAbort)
    child.send(task, (error) => {
      if (error !== null) onExit()
    })
  })
}

function valueOf(reply: ImageReply): Image | null {
  if ('image' in reply) return reply.image
  const error = new Error(reply.message)
  throw reply.code === null ? error : Object.assign(error, { code: reply.code })
}
