export type RunAction = (name: string, work: () => Promise<void>) => Promise<void>

/**
 * Runs actions one after the other. An action that is already pending is not added again. `onBusy` is called when the
 * first action starts and when the last one has ended.
 */
export function actionQueue(onBusy: (isBusy: boolean) => void): RunAction {
  const pending = new Set<string>()
  let last: Promise<unknown> = Promise.resolve()
  return async (name, work) => {
    if (pending.has(name)) return
    if (pending.size === 0) onBusy(true)
    pending.add(name)
    const run = last.then(work)
    last = run.catch(() => undefined)
    try {
      await run
    } finally {
      pending.delete(name)
      if (pending.size === 0) onBusy(false)
    }
  }
}
