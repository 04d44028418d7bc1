import Joi from 'joi'
import type { Access } from '../../people/access/access.ts'
import { readInput } from '../../people/access/input.ts'
import { ROOT } from '../../people/access/principal.ts'
import {
  createAdministratorRole,
  listAdministratorRoles,
  updateAdministratorRole,
} from '../../people/administrators/administrator-roles.ts'
import type { AdministratorsContext } from '../../people/administrators/administrators.ts'
import type { Permission } from '../../people/administrators/rights.ts'
import { sameRule, type StoredRule } from '../../people/rules/stored-rule.ts'
import { ApplicationError, CmsError } from '../../base/errors.ts'
import { isRecord } from '../../base/is-record.ts'
import { storedAction } from '../../schema/named-type.ts'
import type { Schema } from '../../schema/plan.ts'

/** The roles and tokens of a project, by type or name. */
export interface AccessFile {
  readonly roles: Readonly<Record<string, DeclaredRole<string>>>
  readonly administratorRoles: Readonly<Record<string, DeclaredRole<Permission>>>
  /** Custom tokens. A file never contains keys, so it cannot create a token. */
  readonly apiTokens: Readonly<Record<string, Pick<DeclaredRole<string>, 'permissions' | 'rules'>>>
}

interface DeclaredRole<Permitted> {
  readonly name?: string
  readonly description?: string
  /** Absent: the permissions stay as they are. */
  readonly permissions?: readonly Permitted[]
  readonly rules?: readonly StoredRule[]
}

export interface AccessParts {
  readonly access: Access
  readonly administrators: AdministratorsContext
  readonly schema: Pick<Schema, 'contentTypes'>
}

export type AccessChange = 'created' | 'updated' | 'unchanged'

/** By kind and name, such as `role authenticated`. */
export type AccessChanges = Readonly<Record<string, AccessChange>>

const SECTION = Joi.object().pattern(
  Joi.string(),
  Joi.object({
    name: Joi.string(),
    description: Joi.string().allow(''),
    permissions: Joi.array(),
    rules: Joi.array(),
  }),
)

const FILE = Joi.object<Partial<AccessFile>>({
  roles: SECTION,
  administratorRoles: SECTION,
  apiTokens: SECTION,
})

/** @throws ValidationError with the path of each unknown member */
export function parseAccessFile(input: unknown): AccessFile {
  const { roles = {}, administratorRoles = {}, apiTokens = {} } = readInput(FILE, input)
  return { roles, administratorRoles, apiTokens }
}

/** Leaves out built-in roles of administrators, which follow the content-types. */
export async function readAccess({ access, administrators }: AccessParts): Promise<AccessFile> {
  const roles = await access.roles.list()
  const staff = await listAdministratorRoles(administrators)
  const tokens = await access.apiTokens.list()
  return {
    roles: Object.fromEntries(roles.map((role) => [role.type, declared(role)])),
    administratorRoles: Object.fromEntries(
      staff.filter(({ builtIn }) => !builtIn).map((role) => [role.type, declared(role)]),
    ),
    apiTokens: Object.fromEntries(
      tokens
        .filter(({ type }) => type === 'custom')
        .map(({ name, permissions, rules }) => [name, { permissions, ...(rules && { rules }) }]),
    ),
  }
}

function declared<Permitted>({
  name = '',
  description = '',
  permissions = [],
  rules,
}: DeclaredRole<Permitted>): DeclaredRole<Permitted> {
  return { name, description, permissions, ...(rules !== undefined && { rules }) }
}

interface Step {
  readonly label: string
  readonly change: AccessChange
  /** @throws CmsError */
  readonly apply: () => Promise<unknown>
}

/**
 * Roles and tokens that the file does not name stay as they are. A repeated run changes nothing. @throws
 * ApplicationError for a token that does not exist, and with the path of each invalid member
 */
export async function applyAccess(
  parts: AccessParts,
  file: AccessFile,
  { dryRun }: { readonly dryRun: boolean },
): Promise<AccessChanges> {
  const before = await readAccess(parts)
  const wanted = withStoredActions(file, parts.schema)
  const steps = [
    ...roleSteps(parts, wanted, before),
    ...administratorSteps(parts, wanted, before),
    ...(await tokenSteps(parts, wanted, before)),
  ]
  for (const { label, change, apply } of steps) {
    if (!dryRun && change !== 'unchanged') await named(label, apply)
  }
  return Object.fromEntries(steps.map(({ label, change }) => [label, change]))
}

/** A file may name a renamed content-type as it is declared. */
function withStoredActions(file: AccessFile, schema: AccessParts['schema']): AccessFile {
  const stored = (one: unknown): unknown => {
    if (typeof one === 'string') return storedAction(schema, one)
    if (!isRecord(one) || typeof one['action'] !== 'string') return one
    return { ...one, action: storedAction(schema, one['action']) }
  }
  const inRole = <Permitted>(role: DeclaredRole<Permitted>): DeclaredRole<Permitted> => {
    const { permissions, rules } = role
    return {
      ...role,
      ...(permissions && { permissions: permissions.map((one) => stored(one) as Permitted) }),
      ...(rules && { rules: rules.map((one) => stored(one) as StoredRule) }),
    }
  }
  const inSection = <Permitted>(section: Readonly<Record<string, DeclaredRole<Permitted>>>) =>
    Object.fromEntries(Object.entries(section).map(([name, role]) => [name, inRole(role)]))
  return {
    roles: inSection(file.roles),
    administratorRoles: inSection(file.administratorRoles),
    apiTokens: inSection(file.apiTokens),
  }
}

function roleSteps({ access }: AccessParts, file: AccessFile, before: AccessFile): readonly Step[] {
  return Object.entries(file.roles).map(([type, wanted]) => {
    const known = before.roles[type]
    const { name = known?.name ?? type, ...rest } = wanted
    const input = { ...rest, name, rules: wanted.rules ?? [] }
    return {
      label: `role ${type}`,
      change: changeOf(known, wanted),
      apply: () =>
        known === undefined
          ? access.roles.create({ type, ...input })
          : access.roles.update(type, input),
    }
  })
}

function administratorSteps(
  { administrators, schema }: AccessParts,
  file: AccessFile,
  before: AccessFile,
): readonly Step[] {
  const isLocalized = (uid: string): boolean => schema.contentTypes.get(uid)?.localized === true
  return Object.entries(file.administratorRoles).map(([type, wanted]) => {
    const known = before.administratorRoles[type]
    const { name = known?.name ?? type, ...rest } = wanted
    const input = { ...rest, name, rules: wanted.rules ?? [] }
    return {
      label: `administrator role ${type}`,
      change: changeOf(known, wanted),
      apply: () =>
        known === undefined
          ? createAdministratorRole(administrators, ROOT, { type, ...input }, isLocalized)
          : updateAdministratorRole(administrators, ROOT, type, input, isLocalized),
    }
  })
}

async function tokenSteps(
  { access: { apiTokens } }: AccessParts,
  file: AccessFile,
  before: AccessFile,
): Promise<readonly Step[]> {
  const tokens = await apiTokens.list()
  return Object.entries(file.apiTokens).map(([name, { permissions, rules = [] }]) => {
    const input = { ...(permissions !== undefined && { permissions }), rules }
    const token = tokens.find((one) => one.name === name && one.type === 'custom')
    if (token === undefined) {
      throw new ApplicationError(
        `API token ${name}: there is no custom token with this name; create it with \`quire token create\``,
      )
    }
    return {
      label: `API token ${name}`,
      change: changeOf(before.apiTokens[name], input),
      apply: () => apiTokens.update(token.id, input),
    }
  })
}

function changeOf(
  known: DeclaredRole<unknown> | undefined,
  declared: DeclaredRole<unknown>,
): AccessChange {
  if (known === undefined) return 'created'
  const wanted = { ...known, ...declared }
  const isSame =
    wanted.name === known.name &&
    wanted.description === known.description &&
    permissionsText(wanted.permissions) === permissionsText(known.permissions) &&
    areSame(declared.rules ?? [], known.rules ?? [])
  return isSame ? 'unchanged' : 'updated'
}

function areSame(rules: readonly StoredRule[], others: readonly StoredRule[]): boolean {
  if (rules.length !== others.length) return false
  return rules.every((one, index) => {
    const other = others[index]
    return other !== undefined && sameRule(one, other)
  })
}

/** The order of permissions has no effect. */
function permissionsText(permissions: readonly unknown[] = []): string {
  return JSON.stringify(permissions.map((one) => JSON.stringify(one)).sort())
}

async function named(label: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof CmsError)) throw error
    throw new ApplicationError(`${label}: ${messagesOf(error).join('; ')}`, {}, { cause: error })
  }
}

function messagesOf({ message, details }: CmsError): readonly string[] {
  const faults: unknown = details?.['errors']
  if (!Array.isArray(faults)) return [message]
  return faults.map((one: { readonly path: readonly string[]; readonly message: string }) =>
    [...one.path, one.message].join(' '),
  )
}
