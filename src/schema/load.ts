import type { Dirent } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { SchemaError } from './schema-error.ts'
import type { DeclarationFile, Uid } from './definition.ts'

interface DeclarationSource {
  readonly file: string
  readonly kind: DeclarationFile['kind']
  readonly uid: Uid
  readonly isNamedInside?: boolean
}

/** A file that does not parse is returned with its fault. @throws SchemaError if the folder cannot be read */
export async function loadDefinitions(directory: string): Promise<readonly DeclarationFile[]> {
  if ((await list(directory)) === null) throw new SchemaError([`${directory}: no such folder`])
  const strapi = await findStrapiLayout(directory)
  const places = strapi ?? (await findOwnLayout(directory))
  return Promise.all(places.map(readDeclaration))
}

async function findOwnLayout(directory: string): Promise<readonly DeclarationSource[]> {
  const entries = (await list(directory)) ?? []
  const files = entries.filter(isJsonFile).map(({ name }) => {
    return contentType(join(directory, name), withoutExtension(name))
  })
  const folders = entries.filter((entry) => entry.isDirectory() && !OWN_FOLDERS.has(entry.name))
  const nested = folders.map(async ({ name }) => {
    const inside = (await list(join(directory, name))) ?? []
    const has = inside.some((entry) => isJsonFile(entry) && entry.name === 'schema.json')
    return has ? [contentType(join(directory, name, 'schema.json'), name)] : []
  })
  const components = await findComponents(join(directory, 'components'))
  const queries = await findQueries(join(directory, 'queries'))
  return [...files, ...(await Promise.all(nested)).flat(), ...components, ...queries]
}

const OWN_FOLDERS: ReadonlySet<string> = new Set(['components', 'queries'])

async function findQueries(directory: string): Promise<readonly DeclarationSource[]> {
  return ((await list(directory)) ?? []).filter(isJsonFile).map(({ name }) => {
    return { file: join(directory, name), kind: 'query', uid: withoutExtension(name) }
  })
}

async function findStrapiLayout(directory: string): Promise<readonly DeclarationSource[] | null> {
  const api = await findStrapiApi(directory)
  if (api === null) return null
  const source = dirname(api)
  const contentTypes = await findStrapiContentTypes(api, 'api')
  const extensions = await findStrapiContentTypes(join(source, 'extensions'), 'plugin')
  const components = await findComponents(join(source, 'components'))
  const queries = await findQueries(join(source, 'queries'))
  return [...contentTypes, ...extensions, ...components, ...queries]
}

async function findStrapiApi(directory: string): Promise<string | null> {
  const candidates = [join(directory, 'src', 'api'), join(directory, 'api'), directory]
  for (const api of candidates) {
    const isProject = api === candidates[0] && (await isStrapiProject(directory))
    if (isProject || (await findStrapiContentTypes(api, 'api')).length > 0) return api
  }
  return null
}

export interface DeclarationLayout {
  readonly root: string
  readonly contentTypeFile: (name: string) => string
  readonly componentFile: (category: string, name: string) => string
}

export async function findLayout(directory: string): Promise<DeclarationLayout> {
  const api = await findStrapiApi(directory)
  const root = api === null ? directory : dirname(api)
  return {
    root,
    contentTypeFile: (name) =>
      api === null
        ? join(directory, `${name}.json`)
        : join(api, name, 'content-types', name, 'schema.json'),
    componentFile: (category, name) => join(root, 'components', category, `${name}.json`),
  }
}

/** Recognizes a project without content-types too. Otherwise its package.json would be read as a declaration. */
async function isStrapiProject(directory: string): Promise<boolean> {
  const inSource = (await list(join(directory, 'src'))) ?? []
  if (inSource.some((entry) => entry.isDirectory() && entry.name === 'api')) return true
  const inRoot = (await list(directory)) ?? []
  return inSource.length > 0 && inRoot.some(({ name }) => name === 'package.json')
}

async function findStrapiContentTypes(
  api: string,
  prefix: 'api' | 'plugin',
): Promise<readonly DeclarationSource[]> {
  const folders = ((await list(api)) ?? []).filter((entry) => entry.isDirectory())
  const found = folders.map(async ({ name }) => {
    const types = (await list(join(api, name, 'content-types'))) ?? []
    return Promise.all(
      types
        .filter((entry) => entry.isDirectory())
        .map(async (type): Promise<readonly DeclarationSource[]> => {
          const folder = join(api, name, 'content-types', type.name)
          const has = ((await list(folder)) ?? []).some((entry) => entry.name === 'schema.json')
          const uid = `${prefix}::${name}.${type.name}`
          return has ? [{ file: join(folder, 'schema.json'), kind: 'contentType', uid }] : []
        }),
    )
  })
  return (await Promise.all(found)).flat(2)
}

async function findComponents(directory: string): Promise<readonly DeclarationSource[]> {
  const categories = ((await list(directory)) ?? []).filter((entry) => entry.isDirectory())
  const found = categories.map(async ({ name: category }) => {
    const files = ((await list(join(directory, category))) ?? []).filter(isJsonFile)
    return files.map(({ name }): DeclarationSource => {
      const uid = `${category}.${withoutExtension(name)}`
      return { file: join(directory, category, name), kind: 'component', uid }
    })
  })
  return (await Promise.all(found)).flat()
}

function contentType(file: string, singularName: string): DeclarationSource {
  return {
    file,
    kind: 'contentType',
    uid: `api::${singularName}.${singularName}`,
    isNamedInside: true,
  }
}

async function readDeclaration({
  isNamedInside,
  ...place
}: DeclarationSource): Promise<DeclarationFile> {
  let text: string
  try {
    text = (await readFile(place.file, 'utf8')).replace(/^\uFEFF/, '')
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { ...place, content: null, fault: `cannot be read (${reason})` }
  }
  const parsed = parseDeclaration(text)
  const name = isNamedInside === true ? singularNameIn(parsed.content) : null
  return { ...place, ...parsed, uid: name === null ? place.uid : `api::${name}.${name}` }
}

function singularNameIn(content: unknown): string | null {
  const name = (content as { readonly info?: { readonly singularName?: unknown } } | null)?.info
    ?.singularName
  return typeof name === 'string' ? name : null
}

function parseDeclaration(text: string): { readonly content: unknown; readonly fault?: string } {
  try {
    return { content: JSON.parse(text) }
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return {
      content: null,
      fault: `${positionOf(error.message, text)}: no valid JSON: ${error.message}`,
    }
  }
}

function positionOf(message: string, text: string): string {
  const offset = Number(/position (\d+)/.exec(message)?.[1] ?? offsetOfToken(text))
  const before = text.slice(0, offset).split('\n')
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`
}

/** Node 20 reports no position: it is the end of the shortest prefix with the same fault. */
function offsetOfToken(text: string): number {
  let [start, end] = [0, text.length]
  while (start < end) {
    const middle = Math.floor((start + end) / 2)
    if (hasUnexpectedToken(text.slice(0, middle + 1))) end = middle
    else start = middle + 1
  }
  return start
}

function hasUnexpectedToken(text: string): boolean {
  try {
    JSON.parse(text)
    return false
  } catch (error) {
    return error instanceof SyntaxError && error.message.startsWith('Unexpected token')
  }
}

async function list(directory: string): Promise<readonly Dirent[] | null> {
  try {
    const entries = await readdir(directory, { withFileTypes: true })
    return entries.sort((one, other) => (one.name < other.name ? -1 : 1))
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw new SchemaError([`${directory}: cannot be read (${message})`])
  }
}

function isJsonFile(entry: Dirent): boolean {
  return !entry.isDirectory() && entry.name.endsWith('.json')
}

function withoutExtension(name: string): string {
  return basename(name, '.json')
}
