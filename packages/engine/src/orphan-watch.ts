import { workerData } from 'node:worker_threads'

// A thread of the reader process that checks whether the engine's process still runs. The main
// thread may hang in a regular expression, and its snapshot would block the reuse of pages.

const CHECK_OWNER_EVERY_MS = 1_000

const { owner } = workerData as { readonly owner: number }

setInterval(() => {
  if (process.ppid !== owner) process.kill(process.pid, 'SIGKILL')
}, CHECK_OWNER_EVERY_MS)
