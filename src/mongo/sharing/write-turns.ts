import type { ClientSession } from 'mongodb'
import type { Caller } from '../../base/caller.ts'
import { ServiceUnavailableError } from '../../base/errors.ts'
import type { ContentTypePlan } from '../../schema/plan.ts'

/** Queues of the writers in one process. Each key has one holder. Writers are served in order of arrival. */
export interface WriteTurns {
  begin(): WriteTurn
}

/** The keys of one transaction. A transaction never waits while it holds a key, so deadlocks are impossible. */
export interface WriteTurn {
  /** Takes all of the keys, or none if another transaction holds or awaits one of them. */
  tryTake(keys: readonly string[]): boolean
  /** @throws TurnTaken if a key is not free. Roll back the attempt and restart it after `wait`. */
  take(keys: readonly string[]): void
  /** Releases all keys, then waits until they and the missing keys are free. @throws ServiceUnavailableError */
  wait(limits: WaitLimits): Promise<void>
  release(): void
}

export interface WaitLimits {
  /** On the clock of `performance.now()`. */
  readonly deadline: number
  readonly caller: Caller | null
}

export class TurnTaken extends Error {
  constructor() {
    super('Another transaction of this process writes the same document')
    this.name = 'TurnTaken'
  }
}

/** Maximum length of a queue, including the holder. */
const MAX_QUEUED = 200

interface Ticket {
  /** Number of queues in which this ticket is not first. */
  blocked: number
  begin: () => void
}

/** The tickets of each key in use. The first one holds the key, or still waits for other keys. */
type Queues = Map<string, Ticket[]>

export function openWriteTurns(): WriteTurns {
  const queues: Queues = new Map()
  return { begin: () => beginTurn(queues) }
}

function beginTurn(queues: Queues): WriteTurn {
  const ticket: Ticket = { blocked: 0, begin: () => undefined }
  let held = new Set<string>()
  let missing: readonly string[] = []
  const enterAll = (): void => {
    const wanted = new Set([...held, ...missing])
    release()
    missing = []
    enter(queues, ticket, wanted)
    held = wanted
  }
  const release = (): void => {
    leave(queues, ticket, held)
    held = new Set()
  }
  const tryTake = (keys: readonly string[]): boolean => {
    const wanted = keys.filter((key) => !held.has(key))
    if (ticket.blocked > 0 || wanted.some((key) => queues.has(key))) return false
    for (const key of wanted) {
      held.add(key)
      queues.set(key, [ticket])
    }
    return true
  }
  return {
    tryTake,
    take: (keys) => {
      if (tryTake(keys)) return
      missing = keys
      if (held.size === 0) enterAll() // otherwise writes under the held keys must be rolled back first
      throw new TurnTaken()
    },
    wait: async (limits) => {
      if (missing.length > 0) enterAll()
      try {
        if (ticket.blocked > 0) await untilFirst(ticket, limits)
      } catch (error) {
        release()
        throw error
      }
    },
    release,
  }
}

/** Enters all queues in one step, so that two tickets have the same order in each. */
function enter(queues: Queues, ticket: Ticket, keys: ReadonlySet<string>): void {
  for (const key of keys) {
    if ((queues.get(key)?.length ?? 0) < MAX_QUEUED) continue
    const message = 'Too many writes wait for this document'
    throw new ServiceUnavailableError(message, {}, { code: 'overloaded' })
  }
  ticket.blocked = 0
  for (const key of keys) {
    const queue = queues.get(key)
    if (queue === undefined) {
      queues.set(key, [ticket])
    } else {
      queue.push(ticket)
      ticket.blocked += 1
    }
  }
}

function leave(queues: Queues, ticket: Ticket, keys: ReadonlySet<string>): void {
  for (const key of keys) {
    const queue = queues.get(key) ?? []
    const place = queue.indexOf(ticket)
    queue.splice(place, 1)
    const [next] = queue
    if (next === undefined) {
      queues.delete(key)
    } else if (place === 0) {
      next.blocked -= 1
      if (next.blocked === 0) next.begin()
    }
  }
}

function untilFirst(ticket: Ticket, { deadline, caller }: WaitLimits): Promise<void> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => {
      end()
      const message = 'Other writes held this document for too long'
      reject(new ServiceUnavailableError(message, {}, { code: 'write_conflict' }))
    }
    const timer = setTimeout(giveUp, Math.max(deadline - performance.now(), 0))
    const stopListening = caller?.onLeave(giveUp)
    const end = (): void => {
      clearTimeout(timer)
      stopListening?.()
    }
    ticket.begin = () => {
      end()
      resolve()
    }
    if (caller?.hasLeft() === true) giveUp()
  })
}

const open = new WeakMap<ClientSession, WriteTurn>()

export async function duringTurn<T>(
  session: ClientSession,
  turns: WriteTurns,
  work: (turn: WriteTurn) => Promise<T>,
): Promise<T> {
  const turn = turns.begin()
  open.set(session, turn)
  try {
    return await work(turn)
  } finally {
    turn.release()
  }
}

/** Null without transactions, because an attempt with writes could not be rolled back. */
export function turnOf(session: ClientSession): WriteTurn | null {
  return open.get(session) ?? null
}

/** Call it before the first command, because waiting aborts the attempt. @throws TurnTaken */
export function takeDocuments(
  { collectionName }: ContentTypePlan,
  documentIds: readonly string[],
  session: ClientSession,
): void {
  turnOf(session)?.take(documentIds.map((documentId) => keyOf(collectionName, documentId)))
}

/** Returns false if another transaction of this process has reserved the document. */
export function tryTakeDocument(
  { collectionName }: ContentTypePlan,
  documentId: string,
  session: ClientSession,
): boolean {
  return turnOf(session)?.tryTake([keyOf(collectionName, documentId)]) ?? true
}

function keyOf(collectionName: string, documentId: string): string {
  return `${collectionName} ${documentId}`
}
