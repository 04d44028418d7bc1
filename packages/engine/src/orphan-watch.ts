import { workerData } from 'node:worker_threads'

// A thread of the reader, which looks after the engine's process while the reader's own thread is busy: a regular
// expression may keep that one for ever, and its snapshot would keep every page from being used anew.

const LOOK_EVERY_MS = 1_000

const { owner } = workerData as { readonly owner: number }

setInterval(() => {
  if (process.ppid !== owner) process.kill(process.pid, 'SIGKILL')
}, LOOK_EVERY_MS)
