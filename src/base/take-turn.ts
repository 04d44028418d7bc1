import type { Database } from '../../mongo/connection/database.ts'

const turns = new WeakMap<Database, Map<string, Promise<unknown>>>()

/** Runs calls with the same name in sequence. Other processes are not synchronized. */
export async function takeTurn<T>(
  database: Database,
  name: string,
  work: () => Promise<T>,
): Promise<T> {
  const last = turns.get(database) ?? new Map<string, Promise<unknown>>()
  turns.set(database, last)
  const own = (last.get(name) ?? Promise.resolve()).then(work)
  const settled = own.catch(() => null)
  last.set(name, settled)
  try {
    return await own
  } finally {
    if (last.get(name) === settled) last.delete(name)
  }
}
