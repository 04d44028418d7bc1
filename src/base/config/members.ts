import { isRecord } from '../is-record.ts'
import { didYouMean } from '../near-miss.ts'
import { SIGN_IN_MEMBERS, signInMemberOf, type SignInSettings } from './sign-in-providers.ts'
import type { Accepted, NamedVariable } from './variable.ts'
import { type ValueOf, type VariableName, VARIABLES } from './variables.ts'

type MemberOf<Name extends VariableName> = (typeof VARIABLES)[Name]['member']

type MemberValue<Value> = Value extends readonly (infer Item)[]
  ? readonly (Item extends number ? number : string)[]
  : Value

type ByPath = {
  [Name in VariableName as MemberOf<Name>]: MemberValue<ValueOf<(typeof VARIABLES)[Name]>>
}

type Section = keyof ByPath extends infer Path
  ? Path extends `${infer Head}.${string}`
    ? Head
    : never
  : never

type MemberIn<Head extends string> = keyof ByPath extends infer Path
  ? Path extends `${Head}.${infer Rest}`
    ? Rest
    : never
  : never

type ValueAt<Path> = Path extends keyof ByPath ? ByPath[Path] : never

/** The members of `quire.config.ts` that stand for environment variables. */
export type SettingsInCode = {
  readonly [Path in keyof ByPath as Path extends `${string}.${string}` ? never : Path]?:
    ByPath[Path] | undefined
} & {
  readonly [Head in Section]?:
    { readonly [Name in MemberIn<Head>]?: ValueAt<`${Head}.${Name}`> | undefined } | undefined
} & {
  /** The providers of sign-ins of end users, by their names. */
  readonly signIn?: Readonly<Record<string, SignInSettings | undefined>> | undefined
}

/** A fault of a configuration file. The path is `['http', 'port']`. */
export interface MemberFault {
  readonly path: readonly string[]
  readonly message: string
}

export interface ReadMembers {
  readonly values: Readonly<Record<string, string>>
  readonly faults: readonly MemberFault[]
}

/** Has a member per provider instead of a variable. */
const SIGN_IN = 'signIn'

const BY_MEMBER: ReadonlyMap<string, readonly [string, NamedVariable]> = new Map(
  Object.entries(VARIABLES).map(([name, variable]) => [variable.member, [name, variable]]),
)

const SECTIONS: ReadonlySet<string> = new Set(
  [...BY_MEMBER.keys()].filter((path) => path.includes('.')).map((path) => sectionOf(path)),
)

/** Top-level names: sections such as `http`, and members such as `dataDir`. */
const MEMBER_NAMES: ReadonlySet<string> = new Set([
  ...[...BY_MEMBER.keys()].map((path) => sectionOf(path)),
  SIGN_IN,
])

/** Returns the path of the member that stands for a variable, such as `http.port` for PORT. */
export function memberOf(variable: string): string {
  return signInMemberOf(variable) ?? VARIABLES[variable as VariableName].member
}

/** Undefined and null count as unset. `others` are names without a variable, for suggestions. */
export function readMembers(
  given: Readonly<Record<string, unknown>>,
  others: readonly string[] = [],
): ReadMembers {
  const values: Record<string, string> = {}
  const faults: MemberFault[] = []
  const read = (path: readonly string[], value: unknown): void => {
    if (value === undefined || value === null) return
    if (isSection(path)) {
      if (isRecord(value)) {
        for (const [name, inner] of Object.entries(value)) read([...path, name], inner)
      } else faults.push({ path, message: 'must be an object' })
      return
    }
    const found = findMember(path)
    if (typeof found === 'string') return void faults.push({ path, message: found })
    if (found === null) return void faults.push({ path, message: unknownMember(path, others) })
    const { name, accepts } = found
    const text = toText(value, accepts)
    if (text === null) faults.push({ path, message: `must be ${ACCEPTED[accepts]}` })
    else values[name] = text
  }
  for (const [name, value] of Object.entries(given)) read([name], value)
  return { values, faults }
}

function isSection(path: readonly string[]): boolean {
  const [head = ''] = path
  if (head === SIGN_IN) return path.length < 3
  return path.length === 1 && SECTIONS.has(head)
}

interface FoundMember {
  readonly name: string
  readonly accepts: Accepted
}

/** Returns null for an unknown member, and a message for a provider with an invalid name. */
function findMember(path: readonly string[]): FoundMember | string | null {
  const [head, provider = '', member = ''] = path
  if (head !== SIGN_IN) {
    const [name, variable] = BY_MEMBER.get(path.join('.')) ?? []
    return name === undefined || variable === undefined ? null : { name, ...variable }
  }
  if (!PROVIDER.test(provider)) return `the name of a provider ${PROVIDER_NAME}`
  const found = Object.entries(SIGN_IN_MEMBERS).find(([name]) => name === member)
  if (found === undefined || path.length > 3) return null
  const [, { suffix, accepts }] = found
  return { name: `SIGN_IN_${provider.toUpperCase()}_${suffix}`, accepts }
}

const PROVIDER = /^[a-z][a-z0-9]{0,30}$/
const PROVIDER_NAME = 'has at most 31 lower-case letters and digits'

function unknownMember(path: readonly string[], others: readonly string[]): string {
  const name = path.at(-1) ?? ''
  const hint = didYouMean(name, siblingsOf(path, others))
  const elsewhere = [...BY_MEMBER.keys()].find((member) => member.split('.').at(-1) === name)
  if (hint === '' && elsewhere !== undefined) {
    return `is not a member of the configuration; did you mean ${elsewhere}?`
  }
  return `is not a member of the configuration${hint}`
}

function siblingsOf(path: readonly string[], others: readonly string[]): readonly string[] {
  const [head = ''] = path
  if (path.length === 1) return [...MEMBER_NAMES, ...others]
  if (head === SIGN_IN) return Object.keys(SIGN_IN_MEMBERS)
  return [...BY_MEMBER.keys()]
    .filter((member) => member.startsWith(`${head}.`))
    .map((member) => member.slice(head.length + 1))
}

const ACCEPTED: Readonly<Record<Accepted, string>> = {
  text: 'a text',
  number: 'a number',
  boolean: 'true or false',
  list: 'a list of texts or numbers without commas',
}

function toText(value: unknown, accepts: Accepted): string | null {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return accepts === 'number' ? String(value) : null
  if (typeof value === 'boolean') {
    return accepts === 'boolean' ? (value ? 'on' : 'off') : null
  }
  if (accepts !== 'list' || !Array.isArray(value)) return null
  const items = value.map((item: unknown) => (isItem(item) ? String(item) : null))
  return items.includes(null) ? null : items.join(',')
}

function isItem(item: unknown): item is string | number {
  return typeof item === 'number' || (typeof item === 'string' && !item.includes(','))
}

function sectionOf(path: string): string {
  return path.split('.')[0] ?? ''
}
