// Loaded into a server before its own code: when it is asked, it collects all garbage and tells how
// much of the heap is left, in bytes. To be started with --expose-gc.

process.on('message', () => {
  globalThis.gc?.()
  process.send?.(process.memoryUsage().heapUsed)
})
process.channel?.unref() // the server's life is its own
