import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import { isGenerated, withoutComments } from './generated-code.ts'

export interface CustomCode {
  readonly what: string
  /** Files of the project, or names of packages. */
  readonly files: readonly string[]
  readonly replacedBy: string
}

type Kind =
  | 'populate'
  | 'before'
  | 'after'
  | 'documents'
  | 'routes'
  | 'options'
  | 'controllers'
  | 'services'
  | 'policies'
  | 'middlewares'
  | 'bootstrap'
  | 'cron'
  | 'extensions'
  | 'plugins'
  | 'admin'

const KINDS: Readonly<Record<Kind, Omit<CustomCode, 'files'>>> = {
  populate: {
    what: 'middlewares that set populate',
    replacedBy: '`options.api.populate` of the content-type',
  },
  before: { what: 'lifecycle hooks before a write', replacedBy: '`beforeWrite` of an extension' },
  after: { what: 'lifecycle hooks after a write', replacedBy: '`afterCommit` of an extension' },
  documents: {
    what: 'document middlewares',
    replacedBy: '`beforeWrite` and `afterCommit` of an extension',
  },
  routes: { what: 'custom routes', replacedBy: '`routes` of an extension' },
  options: {
    what: 'options of default routes',
    replacedBy: 'permissions of roles and tokens; `options.api.populate` for populate',
  },
  controllers: {
    what: 'custom controllers',
    replacedBy: '`routes` of an extension, or `computed` for additional attributes',
  },
  services: {
    what: 'services',
    replacedBy: 'functions of the project that extensions call; they use `content`',
  },
  policies: {
    what: 'policies',
    replacedBy: 'permissions of roles and tokens; `permission` of a route; `beforeWrite`',
  },
  middlewares: {
    what: 'middlewares',
    replacedBy: '`routes` of an extension, or settings of the server',
  },
  bootstrap: {
    what: 'register and bootstrap of src/index',
    replacedBy: '`start` and `stop` of an extension',
  },
  cron: { what: 'cron tasks', replacedBy: '`jobs` of an extension' },
  extensions: {
    what: 'code that extends plugins; attributes that it adds to users are supported',
    replacedBy: '`routes`, `beforeWrite` and `providers` of an extension',
  },
  plugins: { what: 'plugins of the project', replacedBy: 'an extension' },
  admin: {
    what: 'changes of the admin panel',
    replacedBy: '`studio` in quire.config.ts, for title, logo, colors and links',
  },
}

const CODE = /\.(?:[cm]?js|tsx?|jsx)$/
/** Skips generated files and files with comments only. */
export async function findCustomCode(folder: string): Promise<readonly CustomCode[]> {
  const found = new Map<Kind, string[]>()
  for (const path of [
    ...(await filesIn(join(folder, 'src'))),
    ...(await filesIn(join(folder, 'config'))),
  ]) {
    const parts = relative(folder, path).split(sep)
    if (!CODE.test(path) || path.endsWith('.d.ts') || !isOfServer(parts)) continue
    const text = await readFile(path, 'utf8')
    if (isGenerated(text)) continue
    for (const kind of kindsOf(parts, withoutComments(text))) {
      found.set(kind, [...(found.get(kind) ?? []), parts.join('/')])
    }
  }
  return [...found].map(([kind, files]) => ({ ...KINDS[kind], files }))
}

/** The admin panel is one finding, by its entry file. */
function isOfServer([root, first, name = '', ...deeper]: readonly string[]): boolean {
  if (root === 'config' || first !== 'admin') return true
  return deeper.length === 0 && /^app\.\w+$/.test(name)
}

function kindsOf(parts: readonly string[], code: string): readonly Kind[] {
  const [root, first = ''] = parts
  const name = parts.at(-1) ?? ''
  if (root === 'config') return isCron(name, code) ? ['cron'] : []
  if (name.startsWith('lifecycles.')) return lifecycleKinds(code)
  if (parts.length === 2) return name.startsWith('index.') ? bootstrapKinds(code) : []
  return ROOT_KINDS.get(first) ?? folderKinds(parts.at(-2) ?? '', first, code)
}

const ROOT_KINDS: ReadonlyMap<string, readonly Kind[]> = new Map([
  ['admin', ['admin']],
  ['plugins', ['plugins']],
  ['extensions', ['extensions']],
])

function folderKinds(folder: string, first: string, code: string): readonly Kind[] {
  switch (first === 'middlewares' ? first : folder) {
    case 'middlewares':
      return middlewareKinds(code)
    case 'routes':
      return [/\broutes\s*:/.test(code) ? 'routes' : 'options']
    case 'controllers':
      return ['controllers']
    case 'services':
      return ['services']
    case 'policies':
      return ['policies']
    default:
      return []
  }
}

function isCron(name: string, code: string): boolean {
  return name.startsWith('cron') || /\bcron\s*:\s*\{[^}]*\btasks\b/.test(code)
}

function lifecycleKinds(code: string): readonly Kind[] {
  const before = /\bbefore[A-Z]\w*/.test(code)
  const after = /\bafter[A-Z]\w*/.test(code)
  return [...(before ? (['before'] as const) : []), ...(after ? (['after'] as const) : [])]
}

function bootstrapKinds(code: string): readonly Kind[] {
  const kinds: readonly Kind[] = [
    ...(/\bdocuments\s*\.\s*use\b/.test(code) ? (['documents'] as const) : []),
    ...(/\blifecycles\s*\.\s*subscribe\b/.test(code) ? lifecycleKinds(code) : []),
    ...(/\bcron\s*\.\s*add\b/.test(code) ? (['cron'] as const) : []),
  ]
  return kinds.length === 0 ? ['bootstrap'] : kinds
}

function middlewareKinds(code: string): readonly Kind[] {
  return [/\bquery\s*\.\s*populate\s*=|\bpopulate\s*=\s*\{/.test(code) ? 'populate' : 'middlewares']
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
