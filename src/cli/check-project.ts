import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { SchemaError } from '../base/errors.ts'
import { loadSchema } from '../server/services/load-schema.ts'
import type { CliOutput } from './run-cli.ts'
import { formatTable } from './table.ts'

const USAGE = 'Usage: quire check-project <folder> [--json]'
const HELP = `quire check-project <folder> [--json]

  reports which parts of a project of the reference, or of a folder of content-types, would be served,
  without a database; the exit status is 1 if it cannot start`

export interface ProjectCheck {
  readonly types: readonly ProjectType[]
  /** Each prevents a start. */
  readonly faults: readonly string[]
  readonly warnings: readonly string[]
  /** Code and plugins of the project, which are not executed. */
  readonly leftBehind: readonly string[]
}

interface ProjectType {
  readonly uid: string
  readonly kind: string
  readonly attributes: number
  readonly draftAndPublish: boolean
  readonly localized: boolean
}

/** Returns the exit status: 0, 1 with faults, 2 for an invalid command line. */
export async function runCheckProject(
  words: readonly string[],
  output: CliOutput,
): Promise<number> {
  const asked = readWords(words)
  if (asked === null) {
    output.error(USAGE)
    return 2
  }
  if (asked.help) {
    output.out(HELP)
    return 0
  }
  const found = await checkProject(asked.folder)
  output.out(asked.json ? JSON.stringify(found, null, 2) : formatProjectCheck(found))
  return found.faults.length > 0 ? 1 : 0
}

function readWords(
  words: readonly string[],
): { readonly folder: string; readonly json: boolean; readonly help: boolean } | null {
  const options = { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } } as const
  try {
    const { values, positionals } = parseArgs({ args: [...words], options, allowPositionals: true })
    const { json = false, help = false } = values
    const [folder, ...others] = positionals
    if (help) return { folder: '', json, help }
    return folder === undefined || others.length > 0 ? null : { folder, json, help }
  } catch {
    return null
  }
}

export async function checkProject(folder: string): Promise<ProjectCheck> {
  const leftBehind = [...(await findCode(folder)), ...(await findPlugins(folder))]
  try {
    const { contentTypes, warnings } = await loadSchema(folder)
    const types = [...contentTypes.values()]
      .filter(({ uid }) => uid.startsWith('api::'))
      .map(({ uid, kind, attributes, draftAndPublish, localized }) => {
        return { uid, kind, attributes: attributes.size, draftAndPublish, localized }
      })
    return { types, faults: [], warnings, leftBehind }
  } catch (error) {
    if (!(error instanceof SchemaError)) throw error
    return { types: [], faults: error.faults, warnings: [], leftBehind }
  }
}

const CODE = /\.(?:[cm]?js|ts)$/
const BESIDE: ReadonlySet<string> = new Set(['plugins', 'extensions', 'middlewares'])
const CODE_FOLDERS: ReadonlySet<string> = new Set([
  'controllers',
  'services',
  'routes',
  'policies',
  'middlewares',
])
const WHAT: Readonly<Record<string, string>> = {
  controllers: 'controllers: the routes of a content-type answer as the reference does by default',
  services: 'services',
  routes: 'routes: those of each content-type are there, under its plural name',
  policies: 'policies: roles and tokens say who may do what',
  middlewares: 'middlewares',
  lifecycles: 'lifecycle hooks',
  extensions: 'code of extensions; the attributes that they add to users are read',
  plugins: 'its own plugins',
  bootstrap: 'register and bootstrap of src/index',
}

async function findCode(folder: string): Promise<readonly string[]> {
  const found = new Map<string, string[]>()
  for (const path of (await filesIn(join(folder, 'src'))).filter(isCode)) {
    const kind = kindOf(relative(join(folder, 'src'), path).split(/[\\/]/))
    if (kind === null) continue
    found.set(kind, [...(found.get(kind) ?? []), relative(folder, path)])
  }
  return [...found].map(([kind, paths]) => {
    const more = paths.length > 3 ? ` and ${paths.length - 3} more` : ''
    return `${WHAT[kind] ?? kind} (${paths.slice(0, 3).join(', ')}${more})`
  })
}

function isCode(path: string): boolean {
  return CODE.test(path) && !path.endsWith('.d.ts')
}

/** Uses folder names only and opens no file. */
function kindOf(path: readonly string[]): string | null {
  const name = path.at(-1) ?? ''
  if (name.startsWith('lifecycles.')) return 'lifecycles'
  if (path.length === 1) return name.startsWith('index.') ? 'bootstrap' : null
  const [first = ''] = path
  if (BESIDE.has(first)) return first
  const folder = path.at(-2) ?? ''
  return CODE_FOLDERS.has(folder) ? folder : null
}

async function filesIn(folder: string): Promise<readonly string[]> {
  try {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile())
    return files.map((entry) => join(entry.parentPath, entry.name)).sort()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}

const PLUGIN =
  /^(?:@strapi\/plugin-|@strapi-community\/|strapi-(?:plugin|provider)-|@strapi\/provider-)/

async function findPlugins(folder: string): Promise<readonly string[]> {
  const names = Object.keys(await dependenciesOf(join(folder, 'package.json')))
  const plugins = names.filter((name) => PLUGIN.test(name))
  return plugins.length === 0 ? [] : [`packages that add to the reference: ${plugins.join(', ')}`]
}

async function dependenciesOf(path: string): Promise<object> {
  try {
    const { dependencies } = JSON.parse(await readFile(path, 'utf8')) as {
      readonly dependencies?: object
    }
    return dependencies ?? {}
  } catch {
    return {} // a folder with only content-types has no package.json
  }
}

function formatProjectCheck({ types, faults, warnings, leftBehind }: ProjectCheck): string {
  const rows = types.map(({ uid, kind, attributes, draftAndPublish, localized }) => [
    uid,
    kind === 'singleType' ? 'single' : 'collection',
    `${attributes}`,
    draftAndPublish ? 'yes' : 'no',
    localized ? 'yes' : 'no',
  ])
  const head = ['CONTENT-TYPE', 'KIND', 'ATTRIBUTES', 'DRAFTS', 'LOCALES']
  return [
    ...(rows.length > 0 ? [formatTable(head, rows), ''] : []),
    ...listed('Errors that prevent a start:', faults),
    ...listed('Warnings of a start:', warnings),
    ...listed('Not used, as no code of a project is run:', leftBehind),
    faults.length > 0 ? 'It does not start as it is.' : 'It starts as it is.',
  ].join('\n')
}

function listed(title: string, sentences: readonly string[]): readonly string[] {
  return sentences.length === 0 ? [] : [title, ...sentences.map((each) => `  - ${each}`), '']
}
