import { fork } from 'node:child_process'
import type { ChildProcess } from 'node:child_process'
import { pid } from 'node:process'
import { RawDocument } from '../bson/values.ts'
import type { Deadline } from '../deadline.ts'
import { CommandError } from '../errors.ts'
import type { News } from '../storage/replica.ts'
import { READY } from './reader-protocol.ts'
import type { Answer, Question, ReaderOptions, Ready } from './reader-protocol.ts'

/** Runs what takes long in a process of its own, one after the other, so that nobody else waits for it. */
export interface Reader {
  /** How long a command may keep others waiting before it is given to the reader. */
  turnMs(): number
  /** @throws CommandError MaxTimeMSExpired, ExceededMemoryLimit */
  ask(body: Buffer, deadline: Deadline): Promise<RawDocument>
  /** The same for what needs no answer, and nothing at all where there is no reader. */
  tell(body: Buffer): void
  /** Ends the process: cursors that it had are no more. The next question starts another. */
  stop(): void
}

export interface Reading extends Omit<ReaderOptions, 'owner'> {
  /** What the process may hold in memory, beside its code. @default 768 */
  readonly heapMegabytes?: number
  /** What was committed since it was called last. */
  readonly news: () => News
  /** The process has ended: what it kept from being used anew may be. */
  readonly afterwards: () => void
}

/** A turn while nothing long is about, and when something is: then each that is tried first keeps the others waiting. */
const CALM_TURN_MS = 100
const BUSY_TURN_MS = 40
const SHORTEST_TURN_MS = 8
/** So long at most commands wait for it to be started, beside their own time. */
const START_MS = 10_000
/** A reader that does not end a command by itself is ended so much later. */
const GRACE_MS = 500
const IDLE_MS = 60_000
/** Longer than cursors are kept. */
const IDLE_WITH_CURSORS_MS = 11 * 60_000
const HEAP_MEGABYTES = 768

interface Waiting {
  readonly body: Buffer
  readonly since: number
  /** Later by what it has waited for the process to start. */
  deadline: Deadline
  readonly resolve: (reply: RawDocument) => void
  readonly reject: (error: Error) => void
  timer?: NodeJS.Timeout | undefined
}

interface State {
  readonly reading: Reading
  readonly queue: Waiting[]
  process: ChildProcess | null
  /** Since when there is one. */
  beganAt: number
  /** When it began to read; null while it starts, and where there is none. */
  startedAt: number | null
  /** What the process is at. */
  asked: Waiting | null
  idle?: NodeJS.Timeout | undefined
}

function expired(): CommandError {
  return new CommandError('MaxTimeMSExpired', 'operation exceeded time limit')
}

function died({ heapMegabytes = HEAP_MEGABYTES }: Reading): CommandError {
  return new CommandError(
    'ExceededMemoryLimit',
    `the command ended the process that read for it, which may take ${heapMegabytes} MB of memory`,
  )
}

export function openReader(reading: Reading): Reader {
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
  return Math.max(BUSY_TURN_MS / (1 + busy), SHORTEST_TURN_MS)
}

function enqueue(state: State, waiting: Waiting): void {
  clearTimeout(state.idle)
  state.queue.push(waiting)
  state.process ??= start(state)
  limit(state, waiting)
  next(state)
}

const LONGEST_TIMER_MS = 2147483647

function limit(state: State, waiting: Waiting): void {
  clearTimeout(waiting.timer)
  if (waiting.deadline.at === Infinity) return
  const patienceMs = state.startedAt === null ? START_MS : 0
  const waitMs = Math.max(waiting.deadline.at + patienceMs - performance.now(), 0)
  // Longer than a timer can be: it would end at once.
  if (waitMs > LONGEST_TIMER_MS) return
  waiting.timer = setTimeout(() => expire(state, waiting), waitMs).unref()
}

/**
 * Now that the process reads, commands have as long as they had when they were given to it. A busy machine may take
 * longer to start it than a command may take: ended at the deadline of each, it would be started again and again.
 */
function ready(state: State): void {
  const now = (state.startedAt = performance.now())
  for (const waiting of state.queue) {
    waiting.deadline = { at: waiting.deadline.at + now - Math.max(waiting.since, state.beganAt) }
    limit(state, waiting)
  }
  goOn(state, 0)
}

/** At its deadline: what waits is answered, what runs has a little longer to answer by itself. */
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
  const question: Question = { body: asked.body, leftMs, news: state.reading.news() }
  // Where it has ended, `exit` says so.
  process.send(question, () => undefined)
}

function start(state: State): ChildProcess {
  state.beganAt = performance.now()
  const { directory, durable, address, heapMegabytes = HEAP_MEGABYTES } = state.reading
  const options: ReaderOptions = { directory, durable, address, owner: pid }
  const path = new URL(`../reader${import.meta.url.slice(-3)}`, import.meta.url)
  const process = fork(path, [JSON.stringify(options)], {
    execArgv: [`--max-old-space-size=${heapMegabytes}`],
    serialization: 'advanced',
    // Where the memory is used up, V8 writes pages about it; what the reader reports itself comes as an answer.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
  process.on('message', (message: Answer | Ready) => {
    if (state.process !== process) return
    if (message === READY) ready(state)
    else settle(state, message)
  })
  process.once('error', () => undefined)
  process.once('exit', () => {
    state.reading.afterwards()
    if (state.process === process) ended(state)
  })
  // A program that forgets to close may end all the same.
  process.unref()
  process.channel?.unref()
  return process
}

function settle(state: State, { reply, cursors }: Answer): void {
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

function ended(state: State): void {
  // One that has ended before it began to read has been started for the first.
  const asked = state.startedAt === null ? state.queue.shift() : state.asked
  forget(state)
  clearTimeout(asked?.timer)
  asked?.reject(performance.now() > asked.deadline.at ? expired() : died(state.reading))
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
