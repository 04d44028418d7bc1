/** Others wait at most about this long for one piece of work, in milliseconds. */
const SLICE_MS = 10

/** Long work that lets others have a turn: it asks `isOver` now and then, and awaits `next` when it is. */
export interface TimeSlice {
  isOver(): boolean
  next(): Promise<void>
}

const waiting: (() => void)[] = []

export function beginTimeSlice(): TimeSlice {
  let endsAt = performance.now() + SLICE_MS
  return {
    isOver: () => performance.now() >= endsAt,
    next: async () => {
      await turn()
      endsAt = performance.now() + SLICE_MS
    },
  }
}

/** One piece of work goes on in each round of the event loop, so that requests are accepted between any two. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(resumeOne)
  })
}

function resumeOne(): void {
  waiting.shift()?.()
  if (waiting.length > 0) setImmediate(resumeOne)
}
