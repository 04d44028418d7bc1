import { readSoakOptions, SOAK_USAGE, type SoakOptions } from './soak/options.ts'
import { isSteady, toSoakJson, toSoakText } from './soak/report.ts'
import { runSoak } from './soak/run-soak.ts'

const options = readOptions(process.argv.slice(2))
const ended = new AbortController()
let status = 0
for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
] as const) {
  process.on(signal, () => {
    status = code
    ended.abort()
  })
}

function say(line: string): void {
  process.stderr.write(`${line}\n`)
}

const report = await runSoak({ options, say, ended: ended.signal })
console.log(options.json ? toSoakJson(report) : `\n${toSoakText(report)}`)
process.exitCode = status === 0 && !isSteady(report) ? 1 : status

function readOptions(args: readonly string[]): SoakOptions {
  if (args.includes('--help')) {
    process.stdout.write(`${SOAK_USAGE}\n`)
    process.exit(0)
  }
  try {
    return readSoakOptions(args)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    process.stderr.write(`${message}\n\n${SOAK_USAGE}\n`)
    process.exit(2)
  }
}
