import { isRecord } from '../is-record.ts'
import { didYouMean } from '../near-miss.ts'
import type { MemberFault } from './members.ts'
import { isCssColour, isCssLength } from './css-values.ts'

/** The custom properties of the Studio that a project may set. */
export const STUDIO_VARIABLES = {
  '--paper': 'colour',
  '--sheet': 'colour',
  '--ink': 'colour',
  '--ink-2': 'colour',
  '--ink-3': 'colour',
  '--line': 'colour',
  '--line-2': 'colour',
  '--edge': 'colour',
  '--hover': 'colour',
  '--accent': 'colour',
  '--accent-soft': 'colour',
  '--accent-ink': 'colour',
  '--radius': 'length',
  '--radius-small': 'length',
} as const

export type StudioVariable = keyof typeof STUDIO_VARIABLES

export interface StudioLink {
  readonly label: string
  /** An https URL, or a path on this server such as `/api/docs`. */
  readonly url: string
}

/** The member `studio` of `quire.config.ts`. */
export interface StudioSettings {
  /** Replaces the name of the Studio. */
  readonly title?: string | undefined
  /** A file of the project: svg, png, webp or ico. */
  readonly logo?: string | undefined
  /** A file of the project: svg, png, webp or ico. */
  readonly favicon?: string | undefined
  /** `light-dark(#2f4fd0, #8ea2ff)` sets a colour for each theme. */
  readonly cssVariables?: { readonly [Name in StudioVariable]?: string | undefined } | undefined
  readonly links?: readonly StudioLink[] | undefined
}

export interface StudioImage {
  /** The media type. */
  readonly type: string
  readonly bytes: Buffer
}

/** Checked branding. Null where the project sets none. */
export interface StudioBranding {
  readonly title: string | null
  readonly logo: StudioImage | null
  readonly favicon: StudioImage | null
  readonly cssVariables: Readonly<Record<string, string>>
  readonly links: readonly StudioLink[]
}

/** The branding before its images are read. */
export interface ReadStudio extends Omit<StudioBranding, 'logo' | 'favicon'> {
  readonly logo: string | null
  readonly favicon: string | null
  readonly faults: readonly MemberFault[]
}

export const MAX_STUDIO_LINKS = 20
const MAX_TITLE_LENGTH = 60
const MAX_LABEL_LENGTH = 40
const MAX_URL_LENGTH = 2000
const MEMBERS = ['title', 'logo', 'favicon', 'cssVariables', 'links']
const LINK_MEMBERS = ['label', 'url']

/** Checks the member `studio`. Undefined and null count as unset. */
export function readStudioSettings(given: unknown): ReadStudio {
  const faults: MemberFault[] = []
  const add: AddFault = (path, message) => void faults.push({ path: ['studio', ...path], message })
  const settings = isRecord(given) ? given : {}
  if (isSet(given) && !isRecord(given)) add([], 'must be an object')
  refuseUnknown(settings, MEMBERS, { path: [], add })
  return {
    title: readText(settings['title'], MAX_TITLE_LENGTH, { path: ['title'], add }),
    logo: readText(settings['logo'], MAX_URL_LENGTH, { path: ['logo'], add }),
    favicon: readText(settings['favicon'], MAX_URL_LENGTH, { path: ['favicon'], add }),
    cssVariables: readVariables(settings['cssVariables'], add),
    links: readLinks(settings['links'], add),
    faults,
  }
}

type AddFault = (path: readonly string[], message: string) => void

interface Place {
  readonly path: readonly string[]
  readonly add: AddFault
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null
}

function refuseUnknown(
  given: Readonly<Record<string, unknown>>,
  known: readonly string[],
  { path, add }: Place,
): void {
  for (const name of Object.keys(given)) {
    if (known.includes(name)) continue
    const hint = didYouMean(name, known) || `; known are ${known.join(', ')}`
    add([...path, name], `is not a member of the configuration${hint}`)
  }
}

function readText(value: unknown, max: number, { path, add }: Place): string | null {
  if (!isSet(value)) return null
  const text = typeof value === 'string' ? value.trim() : ''
  if (text !== '' && text.length <= max && !/\p{C}/u.test(text)) return text
  add(path, `must be a text of 1 to ${max} characters without control characters`)
  return null
}

function readVariables(value: unknown, add: AddFault): Readonly<Record<string, string>> {
  const path = ['cssVariables']
  if (!isSet(value)) return {}
  if (!isRecord(value)) {
    add(path, 'must be an object')
    return {}
  }
  refuseUnknown(value, Object.keys(STUDIO_VARIABLES), { path, add })
  const read = Object.entries(STUDIO_VARIABLES).flatMap(([name, kind]): [string, string][] => {
    const set = value[name]
    if (!isSet(set)) return []
    const accepts = kind === 'colour' ? isCssColour : isCssLength
    if (typeof set === 'string' && accepts(set)) return [[name, set.trim()]]
    add([...path, name], MUST_BE[kind])
    return []
  })
  return Object.fromEntries(read)
}

const MUST_BE = {
  colour: 'must be a colour, such as #2f4fd0, rgb(47 79 208) or light-dark(#2f4fd0, #8ea2ff)',
  length: 'must be a length, such as 8px or 0.5rem',
}

function readLinks(value: unknown, add: AddFault): readonly StudioLink[] {
  if (!isSet(value)) return []
  if (!Array.isArray(value) || value.length > MAX_STUDIO_LINKS) {
    add(['links'], `must be a list of at most ${MAX_STUDIO_LINKS} links`)
    return []
  }
  const given: readonly unknown[] = value
  return given.flatMap((link, index): StudioLink[] => {
    const path = ['links', String(index)]
    if (!isRecord(link)) {
      add(path, 'must be an object with label and url')
      return []
    }
    refuseUnknown(link, LINK_MEMBERS, { path, add })
    for (const name of LINK_MEMBERS) if (!isSet(link[name])) add([...path, name], 'is missing')
    const label = readText(link['label'], MAX_LABEL_LENGTH, { path: [...path, 'label'], add })
    const url = readText(link['url'], MAX_URL_LENGTH, { path: [...path, 'url'], add })
    if (url === null || label === null) return []
    if (isSafeUrl(url)) return [{ label, url }]
    add([...path, 'url'], 'must be an https URL, or a path on this server such as /api/docs')
    return []
  })
}

/** Browsers read a backslash as a slash, and ignore some white space. */
function isSafeUrl(url: string): boolean {
  if (/[\s\\]/.test(url) || !/^(?:https:\/\/|\/)/i.test(url)) return false
  const base = 'https://server.invalid'
  if (!URL.canParse(url, base)) return false
  const { protocol, host, username, password } = new URL(url, base)
  const isHere = !url.startsWith('/') || host === 'server.invalid'
  return protocol === 'https:' && isHere && username === '' && password === ''
}
