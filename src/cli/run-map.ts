import { parseArgs } from 'node:util'
import { mapContentful } from '@quire/migrate/contentful/map-contentful'
import { openMapOutput } from '@quire/migrate/map-output'
import { MigrationError } from '@quire/migrate/migration-error'
import type { MapReport } from '@quire/migrate/map-report'
import { mapWordpress } from '@quire/migrate/wordpress/map-wordpress'
import type { CliOutput } from './run-cli.ts'
import { formatTable } from './table.ts'

const USAGE = 'Usage: quire map contentful|wordpress <export> --out <folder> [--json]'
const HELP = `quire map contentful|wordpress <export> --out <folder> [--json]

  converts an export of another system to content-types, files for \`quire apply\` and a list of files for
  \`quire media add\`, without a database; prints what it did not convert, and writes it to report.txt`

const MAPPINGS = new Map([
  ['contentful', mapContentful],
  ['wordpress', mapWordpress],
])

/** Returns the exit status: 0, 1 for an unreadable export, 2 for an invalid command line. */
export async function runMap(words: readonly string[], output: CliOutput): Promise<number> {
  const asked = readWords(words)
  if (asked === null) {
    output.error(USAGE)
    return 2
  }
  if (asked === 'help') {
    output.out(HELP)
    return 0
  }
  const { map, path, out, json } = asked
  try {
    const folder = await openMapOutput(out)
    const report = await map(path, folder)
    const text = formatMapReport(report, out)
    await folder.finish(text)
    output.out(json ? JSON.stringify(report, null, 2) : text)
    return 0
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error
    output.error(error.message)
    return 1
  }
}

interface MapArguments {
  readonly map: typeof mapContentful
  readonly path: string
  readonly out: string
  readonly json: boolean
}

function readWords(words: readonly string[]): MapArguments | 'help' | null {
  const options = {
    out: { type: 'string' },
    json: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  } as const
  try {
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    if (values.help === true) return 'help'
    return parseMapArguments(positionals, values.out ?? '', values.json === true)
  } catch {
    return null
  }
}

function parseMapArguments(
  words: readonly string[],
  out: string,
  json: boolean,
): MapArguments | null {
  const [system = '', path = ''] = words
  const map = MAPPINGS.get(system)
  const isWhole = words.length === 2 && path !== '' && out !== ''
  return map === undefined || !isWhole ? null : { map, path, out, json }
}

function formatMapReport(
  { types, files, locales, defaultLocale, notes }: MapReport,
  out: string,
): string {
  const rows = Object.entries(types).map(([type, lines]) => [type, `${lines}`])
  const added = locales.filter((code) => code !== 'en')
  return [
    formatTable(['CONTENT-TYPE', 'LINES'], [...rows, ['files', `${files}`]]),
    '',
    ...(notes.length === 0 ? ['Everything was taken.'] : ['Not taken as it was:']),
    ...notes.map((sentence) => `  - ${sentence}`),
    '',
    'Next, once the content-types are as you want them:',
    `  CONTENT_TYPES_DIR=${out}/content-types npm start`,
    ...added.map((code) => {
      return `  npx quire locale add ${code}${code === defaultLocale ? ' --default' : ''}`
    }),
    ...(files === 0 ? [] : [`  npx quire media add ${out}/media.ndjson`]),
    `  npx quire apply ${out}/content`,
  ].join('\n')
}
