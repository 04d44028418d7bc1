import { type ChildProcess, fork } from 'node:child_process'
import { constants, setPriority } from 'node:os'
import type { ImageReply, ImageTask } from './image-process.ts'
import type { Image } from './read-image.ts'

/** Works on pictures in processes of their own, which can be ended in the middle of it. */
export interface ImageProcesses {
  /**
   * What was read of a picture; null for a task that writes one.
   * @throws TooSlow beyond the bound of time, Aborted when the signal says that nobody waits, else an
   * Error with the `code` of the system, where it is not the picture that is at fault
   */
  readonly run: (task: ImageTask, signal?: AbortSignal) => Promise<Image | null>
}

/** A picture that takes longer than it may. */
export class TooSlow extends Error {}

/** Work whose requests have all been aborted. */
export class Aborted extends Error {}

/** A process that has nothing to do goes after so long, with its memory. */
const IDLE_MS = 10_000

const PROGRAM = new URL(`./image-process${import.meta.url.slice(-3)}`, import.meta.url)

/** Decoders read what strangers send: they are given none of the server's secrets. */
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
  child.on('error', () => undefined) // `exit` follows, or `replyOf` hears of it
  try {
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL)
  } catch {
    // It has ended already, or the system has no priorities: neither is a reason not to work.
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
    // Out of memory, or a decoder that crashes: the picture is at fault.
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
