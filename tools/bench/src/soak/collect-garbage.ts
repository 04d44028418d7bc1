// Preloaded into a server: collects garbage on each message and replies with the used heap in
// bytes. Needs --expose-gc.

process.on('message', () => {
  globalThis.gc?.()
  process.send?.(process.memoryUsage().heapUsed)
})
process.channel?.unref() // the channel must not keep the server alive
