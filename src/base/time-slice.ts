/** Maximum time that one task blocks others, in milliseconds. */
const SLICE_MS = 10

/** Splits long work. Check `isOver` regularly and await `next` when it returns true. */
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

/** Resumes one task per round of the event loop, so that requests are accepted in between. */
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
