import { benchHooks } from './bench/hook-cost.ts'
import { benchLog } from './bench/log-cost.ts'
import { benchRules } from './bench/rule-cost.ts'
import { BENCH_USAGE, type BenchOptions, readBenchOptions } from './bench/options.ts'
import { toBenchJson, toBenchNotes, toBenchTable } from './bench/report.ts'
import { runBench } from './bench/run-bench.ts'

const [first, ...rest] = process.argv.slice(2)
if (first === 'embedded') await import('./embedded/bench.ts')
else if (first === 'queries') await import('./bench/queries.ts')
else if (first === 'search') await import('./bench/search.ts')
else if (first === 'places') await import('./bench/places.ts')
else if (first === 'indexing') await import('./bench/indexing.ts')
else if (first === 'bulk') await import('./bench/bulk.ts')
else if (first === 'device') await import('./bench/device.ts')
else if (first === 'push') await import('./bench/push.ts')
else if (first === 'log') console.log(await benchLog(readOptions(rest)))
else if (first === 'hooks') console.log(await benchHooks(readOptions(rest)))
else if (first === 'rules') console.log(await benchRules(readOptions(rest)))
else if (first === 'flags') await import('./bench/flags.ts')
else await compare(readOptions(first === undefined ? [] : [first, ...rest]))

async function compare(options: BenchOptions): Promise<void> {
  const report = await runBench(options, (line) => process.stderr.write(`${line}\n`))
  if (options.json) {
    console.log(toBenchJson(report))
    return
  }
  console.log(`${report.machine}\n${report.database}\n\n${toBenchTable(report)}\n`)
  for (const note of toBenchNotes(report)) console.log(`- ${note}`)
}

function readOptions(args: readonly string[]): BenchOptions {
  if (args.includes('--help')) {
    process.stdout.write(`${BENCH_USAGE}\n`)
    process.exit(0)
  }
  try {
    return readBenchOptions(args)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    process.stderr.write(`${message}\n\n${BENCH_USAGE}\n`)
    process.exit(2)
  }
}
