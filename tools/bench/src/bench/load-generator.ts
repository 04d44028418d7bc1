import { Agent, request } from 'node:http'
import { fillBody, type Load, type LoadResult } from './load.ts'

// Runs in its own process. Sends requests over a fixed number of keep-alive connections, each after
// the response to the previous one. One load per message.
//
// autocannon 9 would change the results: it rounds latencies to milliseconds, although many are
// below one, treats a 304 as an error, and counts the bytes of headers.

process.on('message', (load: Load) => {
  void generate(load).then((result) => process.send?.(result))
})

async function generate(load: Load): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: load.connections })
  const times: number[] = []
  let next = 0
  let bytes = 0
  const started = performance.now()
  const ends = started + load.durationMs
  const work = async (): Promise<void> => {
    while (performance.now() < ends) {
      const index = next++
      const began = performance.now()
      const size = await send(load, index, agent)
      bytes += size
      times.push(performance.now() - began)
    }
  }
  await Promise.all(Array.from({ length: load.connections }, work))
  const seconds = (performance.now() - started) / 1000
  agent.destroy()
  return { times, bytes, seconds }
}

/**
 * Returns the size of the response body.
 * @throws Error unless the request succeeds
 */
function send(
  { base, paths, method, bodies, headers }: Load,
  index: number,
  agent: Agent,
): Promise<number> {
  const body = bodies[index % Math.max(bodies.length, 1)]
  const path = paths[index % paths.length] ?? '/'
  return new Promise((resolve, reject) => {
    const asked = request(`${base}${path}`, { method, agent, headers }, (answer) => {
      let size = 0
      answer.on('data', (chunk: Buffer) => (size += chunk.length))
      answer.on('error', reject)
      answer.on('end', () => {
        const { statusCode = 0 } = answer
        if ((statusCode >= 200 && statusCode < 300) || statusCode === 304) resolve(size)
        else reject(new Error(`${method} ${path}: ${statusCode}`))
      })
    })
    asked.on('error', reject)
    asked.end(fillBody(body))
  })
}
