import type { ClientSession } from 'mongodb'
import type { WriteTurn, WriteTurns } from './write-turns.ts'

const open = new WeakMap<ClientSession, WriteTurn>()

/** Runs a transaction that may take turns (`turnOf`), and releases them when it has ended. */
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

/** Null without transactions: an attempt that has written something could not be undone. */
export function turnOf(session: ClientSession): WriteTurn | null {
  return open.get(session) ?? null
}
