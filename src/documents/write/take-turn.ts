import type { Database } from '../../mongo/connection/database.ts'

const turns = new WeakMap<Database, Map<string, Promise<unknown>>>()

/** Runs works of one name on a database one after another, in the order of the calls. Other processes do not wait. */
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
