import { workerData } from 'node:worker_threads'

// Checks that the engine's process still runs: the main thread may hang in a regular expression.

const CHECK_OWNER_EVERY_MS = 1_000

const { owner } = workerData as { readonly owner: number }

setInterval(() => {
  if (process.ppid !== owner) process.kill(process.pid, 'SIGKILL')
}, CHECK_OWNER_EVERY_MS)
