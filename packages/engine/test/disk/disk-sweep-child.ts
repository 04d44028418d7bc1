import { MongoClient } from 'mongodb'
import { startEmbedded } from '../../src/start-embedded.ts'
import { armDisk, DISK_FAULTS, disarmDisk } from './faulty-disk.ts'
import { prepareRows, stateOf, SWEPT_OPERATIONS } from './disk-sweep-operations.ts'

// Runs an operation with its first call to the disk failing, then with the second one, and so on until no call fails.
// Prints a line per run, and one before it, which names the run that a crash ends.

const MAX_POSITION = 200
const RECOVERS_MS = 20_000

const [directory = '', control = '', operationName, faultName, from = '1'] = process.argv.slice(2)
const operation = SWEPT_OPERATIONS.find(({ name }) => name === operationName)
const fault = DISK_FAULTS.find(({ name }) => name === faultName)
if (!operation || !fault) throw new Error('no such operation or fault')
const engine = await startEmbedded({ directory })
const client = await MongoClient.connect(engine.uri, { retryWrites: false, retryReads: true })
const db = client.db('swept')
const tell = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`)

for (let position = Number(from); position <= MAX_POSITION; position++) {
  const key = `k${position}`
  await prepareRows(db, key)
  tell({ kind: 'armed', position })
  armDisk(control, position, fault)
  const refusal = await operation.run(db, key, client).then(
    () => null,
    (error: unknown) => String((error as { codeName?: unknown }).codeName ?? error),
  )
  const { failed } = disarmDisk(control)
  const recovered = await untilWritable()
  tell({ kind: 'ran', position, failed, refusal, recovered, state: await stateOf(db, key) })
  if (failed === 0) break
}
await client.close()
await engine.close()
process.exit(0)

/** Whether a write succeeds within the time in which the engine must reopen its folder. */
async function untilWritable(): Promise<boolean> {
  const until = performance.now() + RECOVERS_MS
  for (;;) {
    try {
      await db.collection('probe').insertOne({})
      return true
    } catch {
      if (performance.now() > until) return false
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
  }
}
