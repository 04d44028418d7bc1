import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { pid } from 'node:process'
import { RawDocument } from '../bson/values.ts'
import type { Deadline } from '../deadline.ts'
import { CommandError } from '../errors.ts'
import type { CommitNews } from '../storage/replica.ts'
import { READER_LOADED, READER_MAY_OPEN, READER_READY } from './reader-protocol.ts'
import type {
  ReaderOptions,
  ReaderProgress,
  ReaderReply,
  ReaderRequest,
} from './reader-protocol.ts'

/** Long reads in a separate process do not block other commands. */
export interface Reader {
  /** How long a command may block others before it moves to the reader. */
  turnMs(): number
  /** @throws CommandError MaxTimeMSExpired, ExceededMemoryLimit */
  ask(body: Buffer, deadline: Deadline): Promise<RawDocument>
  tell(body: Buffer): void
  /** Ends the process and loses its cursors. The next command starts another process. */
  stop(): void
}

export interface ReaderSettings extends Omit<ReaderOptions, 'owner'> {
  /** Heap limit of the process, in addition to its code. @default 768 */
  readonly heapMegabytes?: number
  readonly news: () => CommitNews
  /** Delays commits, while the process opens the data file, until the returned function is called. */
  readonly holdCommits: () => () => void
  /** Called when the process has ended and its pages can be reused. */
  readonly afterwards: () => void
}

/** Shorter while the reader is busy: every command that is tried here first blocks the others. */
const CALM_TURN_MS = 100
const BUSY_TURN_MS = 40
const MIN_TURN_MS = 8
/** How long commands wait for the process to start, in addition to their own time. */
const START_MS = 10_000
/** How long commits may wait until the process has opened the data file. Then it is killed. */
const OPEN_MS = 5_000
/** How long after its deadline a command may still end by itself. Then its process is killed. */
const GRACE_MS = 500
const IDLE_MS = 60_000
/** Longer than the lifetime of cursors. */
const IDLE_WITH_CURSORS_MS = 11 * 60_000
const HEAP_MEGABYTES = 768

interface Waiting {
  readonly body: Buffer
  readonly since: number
  /** Extended by the time that the process took to start. */
  deadline: Deadline
  readonly resolve: (reply: RawDocument) => void
  readonly reject: (error: Error) => void
  timer?: NodeJS.Timeout | undefined
}

interface State {
  readonly reading: ReaderSettings
  readonly queue: Waiting[]
  process: ChildProcess | null
  beganAt: number
  /** When the process became ready. Null while it starts or none runs. */
  startedAt: number | null
  asked: Waiting | null
  idle?: NodeJS.Timeout | undefined
}

function expired(): CommandError {
  return new CommandError('MaxTimeMSExpired', 'operation exceeded time limit')
}

/** V8 ends a process without memory by SIGABRT, and the system by SIGKILL. Other ends are named in the message. */
function died({ heapMegabytes = HEAP_MEGABYTES }: ReaderSettings, how: string): CommandError {
  return new CommandError(
    'ExceededMemoryLimit',
    `the command ended the process that read for it (${how}), which may take ${heapMegabytes} MB of memory`,
  )
}

export function openReader(reading: ReaderSettings): Reader {
  const state: State = {
    reading,
    queue: [],
    process: null,
    beganAt: 0,
    startedAt: null,
    asked: null,
  }
  return {
    turnMs: () => turnMs(state),
    ask: (body, deadline) =>
      new Promise((resolve, reject) => {
        enqueue(state, { body, since: performance.now(), deadline, resolve, reject })
      }),
    tell: (body) => {
      if (!state.process) return
      const ignore = (): void => undefined
      const deadline = { at: Infinity }
      enqueue(state, { body, since: performance.now(), deadline, resolve: ignore, reject: ignore })
    },
    stop: () => stop(state),
  }
}

function turnMs({ startedAt, asked, queue }: State): number {
  if (startedAt === null) return CALM_TURN_MS
  const busy = Number(asked !== null) + queue.length
  return Math.max(BUSY_TURN_MS / (1 + busy), MIN_TURN_MS)
}

function enqueue(state: State, waiting: Waiting): void {
  clearTimeout(state.idle)
  state.queue.push(waiting)
  state.process ??= start(state)
  limit(state, waiting)
  next(state)
}

const MAX_TIMER_MS = 2147483647

function limit(state: State, waiting: Waiting): void {
  clearTimeout(waiting.timer)
  if (waiting.deadline.at === Infinity) return
  const patienceMs = state.startedAt === null ? START_MS : 0
  const waitMs = Math.max(waiting.deadline.at + patienceMs - performance.now(), 0)
  // A longer timeout would fire at once.
  if (waitMs > MAX_TIMER_MS) return
  waiting.timer = setTimeout(() => expire(state, waiting), waitMs).unref()
}

/**
 * Extends each deadline by the wait for the start. Otherwise a busy machine would kill and restart
 * the process forever.
 */
function ready(state: State): void {
  const now = (state.startedAt = performance.now())
  for (const waiting of state.queue) {
    waiting.deadline = { at: waiting.deadline.at + now - Math.max(waiting.since, state.beganAt) }
    limit(state, waiting)
  }
  goOn(state, 0)
}

/** A queued command is answered. A running command gets some time to answer by itself. */
function expire(state: State, waiting: Waiting): void {
  if (state.asked === waiting) {
    waiting.timer = setTimeout(() => state.process?.kill('SIGKILL'), GRACE_MS).unref()
    return
  }
  const place = state.queue.indexOf(waiting)
  if (place < 0) return
  state.queue.splice(place, 1)
  waiting.reject(expired())
}

function next(state: State): void {
  const { process } = state
  if (state.asked || !process || state.startedAt === null) return
  const asked = state.queue.shift()
  if (!asked) return
  state.asked = asked
  const leftMs = asked.deadline.at === Infinity ? null : asked.deadline.at - performance.now()
  const question: ReaderRequest = { body: asked.body, leftMs, news: state.reading.news() }
  // If the process has ended, the `exit` event reports it.
  process.send(question, () => undefined)
}

function start(state: State): ChildProcess {
  state.beganAt = performance.now()
  const { heapMegabytes = HEAP_MEGABYTES } = state.reading
  const { directory, durable, address, nullOverLists } = state.reading
  const options: ReaderOptions = { directory, durable, address, nullOverLists, owner: pid }
  const path = new URL(`../reader${import.meta.url.slice(-3)}`, import.meta.url)
  const process = fork(path, [JSON.stringify(options)], {
    execArgv: [`--max-old-space-size=${heapMegabytes}`],
    serialization: 'advanced',
    // V8 prints pages of text when the heap is exhausted.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  const opening = holdWhileOpening(state.reading, process)
  process.on('message', (message: ReaderReply | ReaderProgress) => {
    if (message === READER_READY) opening.end()
    if (state.process !== process) return
    if (message === READER_LOADED) opening.begin()
    else if (message === READER_READY) ready(state)
    else settle(state, message)
  })
  process.once('error', () => undefined)
  process.once('exit', (code, signal) => {
    opening.end()
    state.reading.afterwards()
    if (state.process === process) ended(state, signal ?? `exit code ${code}`)
  })
  // Lets a program exit that forgot to close the engine.
  process.unref()
  process.channel?.unref()
  return process
}

function holdWhileOpening(
  { holdCommits }: ReaderSettings,
  process: ChildProcess,
): { begin(): void; end(): void } {
  let release = (): void => undefined
  let timer: NodeJS.Timeout | undefined
  return {
    begin: () => {
      release = holdCommits()
      timer = setTimeout(() => process.kill('SIGKILL'), OPEN_MS).unref()
      process.send(READER_MAY_OPEN, () => undefined)
    },
    end: () => {
      clearTimeout(timer)
      release()
    },
  }
}

function settle(state: State, { reply, cursors }: ReaderReply): void {
  const { asked } = state
  state.asked = null
  clearTimeout(asked?.timer)
  asked?.resolve(new RawDocument(reply))
  goOn(state, cursors)
}

function goOn(state: State, cursors: number): void {
  if (state.queue.length > 0) {
    next(state)
    return
  }
  state.idle = setTimeout(() => stop(state), cursors > 0 ? IDLE_WITH_CURSORS_MS : IDLE_MS).unref()
}

function ended(state: State, how: string): void {
  // A process that ended before it was ready was started for the first command.
  const asked = state.startedAt === null ? state.queue.shift() : state.asked
  forget(state)
  clearTimeout(asked?.timer)
  asked?.reject(performance.now() > asked.deadline.at ? expired() : died(state.reading, how))
  if (state.queue.length > 0) state.process = start(state)
}

function forget(state: State): void {
  state.process = null
  state.startedAt = null
  state.asked = null
}

function stop(state: State): void {
  clearTimeout(state.idle)
  const { process, asked } = state
  forget(state)
  process?.kill('SIGKILL')
  for (const waiting of [asked, ...state.queue.splice(0)]) {
    clearTimeout(waiting?.timer)
    waiting?.reject(new CommandError('InterruptedAtShutdown', 'interrupted at shutdown'))
  }
}
