/**
 * Calls `work` for each item, at most `concurrency` at a time, and returns the results in the order of the items. After
 * a failure it starts no further work, waits for the running calls, and throws the first error.
 */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  concurrency: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = []
  const failures: unknown[] = []
  const left = items.entries()
  const takeTurns = async (): Promise<void> => {
    for (const [index, item] of left) {
      try {
        results[index] = await work(item)
      } catch (error) {
        failures.push(error)
      }
      if (failures.length > 0) return
    }
  }
  await Promise.all(Array.from({ length: concurrency }, takeTurns))
  if (failures.length > 0) throw failures[0]
  return results
}
