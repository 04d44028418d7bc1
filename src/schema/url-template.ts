import type { ContentTypePlan } from './plan.ts'

/** The members of an entry that a URL template can name, besides its attributes. */
export const URL_MEMBERS: readonly string[] = ['documentId', 'locale']

/** The types of attributes with values that fit into a URL. */
export const URL_TYPES: ReadonlySet<string> = new Set([
  'string',
  'text',
  'uid',
  'enumeration',
  'integer',
  'biginteger',
  'date',
])

const PLACE = /\{([^{}]*)\}/g

/** The names in the braces of a template such as `/articles/{slug}`. */
export function namesInUrl(template: string): readonly string[] {
  return [...new Set([...template.matchAll(PLACE)].map(([, name = '']) => name))]
}

/** Whether a template is a path, or an address with a fixed origin. */
export function isUrlTemplate(template: string): boolean {
  const sample = template.replaceAll(PLACE, 'x')
  if (/[\s{}\\]/.test(sample)) return false
  if (template.startsWith('/')) return !template.startsWith('//')
  return /^https?:\/\/[^/?#@{}]+[/?#]/.test(template) && URL.canParse(sample)
}

/** The attributes that the URLs of a type need. */
export function placesOf({ url }: Pick<ContentTypePlan, 'url'>): readonly string[] {
  if (url === undefined) return []
  return namesInUrl(url).filter((name) => !URL_MEMBERS.includes(name))
}

/** Values are escaped. Null if one is missing, or would lead to another path. */
export function fillUrl(template: string, valueOf: (name: string) => unknown): string | null {
  const values = new Map(namesInUrl(template).map((name) => [name, textOfValue(valueOf(name))]))
  if ([...values.values()].includes('')) return null
  return template.replaceAll(PLACE, (_, name: string) => encodeURIComponent(values.get(name) ?? ''))
}

function textOfValue(value: unknown): string {
  if (typeof value === 'string') return value === '.' || value === '..' ? '' : value
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : ''
}
