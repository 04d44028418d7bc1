// Starts a mongod in a process that a test may kill: node start-in-child.js DIRECTORY [LIMITS]
// Prints the result as one line of JSON. Closes when standard input ends, and prints "closed".
import { createInterface } from 'node:readline'
import { startMongod } from '../../../src/server/deployment/start-mongod.ts'
import { startOwnClock } from '../../support/own-clock.ts'

const [directory = '', limits] = process.argv.slice(2)
const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}
const elapsedMs = startOwnClock()
const started = await startMongod({
  directory,
  env: process.env,
  log: { info: (line) => say(`info ${line}`), warn: say, error: (line) => say(`error ${line}`) },
  ...(limits !== undefined && { limits: JSON.parse(limits) }),
})
say(`result ${JSON.stringify({ ...started, ms: elapsedMs() })}`)
createInterface({ input: process.stdin }).on('close', () => {
  const closed = 'close' in started ? started.close() : Promise.resolve()
  void closed.then(() => {
    say('closed')
  })
})
