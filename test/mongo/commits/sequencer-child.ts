// A process that numbers commits and kills itself at the given step.
import { sequence } from '../../../src/mongo/commits/sequencer.ts'
import { openDatabase } from '../../../src/mongo/connection/open-database.ts'

const [uri = '', name = '', fatal = ''] = process.argv.slice(2)
const database = await openDatabase({ uri, name, queryTimeoutMs: 10_000 })
await sequence(database, {
  pause: (step) => {
    if (step === fatal) process.kill(process.pid, 'SIGKILL')
    return Promise.resolve()
  },
})
