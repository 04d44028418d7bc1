// Runs a server in a process that a test may signal. It responds to /slow after a request to /finish or any input.
import type { ServerResponse } from 'node:http'
import { ServiceUnavailableError } from '../../src/base/errors.ts'
import { runServer } from '../../src/server/run-server.ts'

const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}
const FAULTS: Readonly<Record<string, Error>> = {
  bug: new Error('a bug'),
  database: new ServiceUnavailableError('The database cannot be reached'),
}
let waiting: ServerResponse | null = null

await runServer({
  env: process.env,
  startDeployment: (config) =>
    Promise.resolve({
      kind: 'embedded',
      uri: 'mongodb://none',
      reason: `a stand-in for ${config.database.name}`,
      close: () => Promise.resolve(say('database closed')),
    }),
  onListening: (address, { deployment }) => {
    say(`told of ${address} and ${deployment.kind}`)
  },
  createApp: ({ config }) => {
    const fault = FAULTS[process.env['APP_FAULT'] ?? '']
    if (fault !== undefined) return Promise.reject(fault)
    return Promise.resolve({
      callback: () => (request, response) => {
        if (request.url === '/slow') {
          waiting = response
          say('slow began')
        } else {
          if (request.url === '/finish') waiting?.end('slow done')
          response.end('ok')
        }
      },
      firstStartLink: () => Promise.resolve(`${config.http.publicUrl}/first`),
      close: () => Promise.resolve(say('app closed')),
    })
  },
})
process.stdin.on('data', () => waiting?.end('slow done'))
process.stdin.unref()
