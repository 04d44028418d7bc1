import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { SchemaError } from '../base/errors.ts'
import { loadSchema } from '../server/services/load-schema.ts'
import { isGenerated } from './generated-code.ts'

export interface ProjectCheck {
  readonly types: readonly ProjectType[]
  readonly faults: readonly string[]
  readonly warnings: readonly string[]
  readonly leftBehind: readonly string[]
}

interface ProjectType {
  readonly uid: string
  readonly kind: string
  readonly attributes: number
  readonly draftAndPublish: boolean
  readonly localized: boolean
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
  controllers: 'controllers: routes of a content-type use the default behavior of Strapi',
  services: 'services',
  routes: 'routes: Quire serves the default routes of each content-type under its plural name',
  policies: 'policies: permissions of roles and tokens replace them',
  middlewares: 'middlewares',
  lifecycles: 'lifecycle hooks',
  extensions: 'code of extensions; attributes that they add to users are supported',
  plugins: 'its own plugins',
  bootstrap: 'register and bootstrap of src/index',
}

async function findCode(folder: string): Promise<readonly string[]> {
  const found = new Map<string, string[]>()
  for (const path of (await filesIn(join(folder, 'src'))).filter(isCode)) {
    const kind = kindOf(relative(join(folder, 'src'), path).split(/[\\/]/))
    if (kind === null || isGenerated(await readFile(path, 'utf8'))) continue
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
  return plugins.length === 0 ? [] : [`packages that extend Strapi: ${plugins.join(', ')}`]
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
