import { mapContentful } from '@quire/migrate/contentful/map-contentful'
import { openMapOutput } from '@quire/migrate/map-output'
import type { MapReport } from '@quire/migrate/map-report'
import { mapWordpress } from '@quire/migrate/wordpress/map-wordpress'
import { type Command, textOption, UsageError, wordAt } from './command.ts'
import { synopsisOf } from './help.ts'
import { formatTable } from './table.ts'

const MAPPINGS = new Map([
  ['contentful', mapContentful],
  ['wordpress', mapWordpress],
])

export const MAP_COMMAND: Command = {
  usage: 'map contentful|wordpress <export> --out <folder> [--tables]',
  summary:
    'convert an export of another system to content-types and files for `quire apply`; see docs/migrating-others.md',
  help: `  converts an export of another system to content-types, files for \`quire apply\` and a list of files for
  \`quire media add\`, without a database; prints unconverted parts and writes them to report.txt; --tables keeps tables,
  and adds the option that they need to the content-types`,
  options: { out: { type: 'string' }, tables: { type: 'boolean' } },
  words: { min: 2, max: 2 },
  needs: 'nothing',
  run: async (_, words, options) => {
    const map = MAPPINGS.get(wordAt(words, 0))
    const path = wordAt(words, 1)
    const out = textOption(options, 'out') ?? ''
    if (map === undefined || path === '' || out === '') {
      throw new UsageError(`Usage: ${synopsisOf(MAP_COMMAND)}`)
    }
    const folder = await openMapOutput(out)
    const data = await map(path, folder, { tables: options['tables'] === true })
    const text = formatMapReport(data, out)
    await folder.finish(text)
    return { data, text }
  },
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
