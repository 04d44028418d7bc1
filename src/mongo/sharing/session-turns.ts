import type { ClientSession } from 'mongodb'
import type { WriteTurn, WriteTurns } from './write-turns.ts'

const open = new WeakMap<ClientSession, WriteTurn>()

/** Runs a transaction with a write turn (`turnOf`) and releases the turn afterwards. */
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
