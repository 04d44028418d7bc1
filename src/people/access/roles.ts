import Joi from 'joi'
import { ApplicationError, because, NotFoundError } from '../../base/errors.ts'
import { noteRow } from '../../mongo/connection/commit-record.ts'
import type { Database, Session } from '../../mongo/connection/database.ts'
import { type Actions, canonicalAction } from './actions.ts'
import type { EndUsers } from './end-users.ts'
import { actionRule, assertKnownActions, permissionsRule } from './granted.ts'
import { inputError, readInput, shortText, takenError } from './input.ts'
import { assertRules } from '../rules/held-rules.ts'
import { toRuleRow } from '../rules/rename-rule.ts'
import { differingRules, rulesInput, sameRule, type StoredRule } from '../rules/stored-rule.ts'
import type { VersionedCache } from '../../mongo/system/versioned-cache.ts'
import { lockName } from '../../mongo/system/lease.ts'
import {
  ANONYMOUS_ROLE,
  AUTHENTICATED_ROLE,
  collectionOf,
  findRoles,
  PUBLIC_ROLE,
  type Role,
  ROLE_TYPE,
  roleDocumentId,
  rowId,
  toRole,
  toRoleRow,
} from './role-rows.ts'

export interface Roles {
  list(): Promise<readonly Role[]>
  /** @throws NotFoundError */
  get(type: string): Promise<Role>
  /** @throws ValidationError */
  create(input: unknown, assertMayChange?: AssertMayChange): Promise<Role>
  /** `assertMayChange` runs in the transaction. @throws NotFoundError, ValidationError */
  update(type: string, input: unknown, assertMayChange?: AssertMayChange): Promise<Role>
  /** @throws NotFoundError, ValidationError */
  grant(type: string, permissions: readonly string[]): Promise<Role>
  /**
   * Adds rules that the role does not have. @throws NotFoundError, ValidationError, ApplicationError for an action that
   * the role has without a rule, because the rule would have no effect
   */
  grantRules(type: string, rules: readonly StoredRule[]): Promise<Role>
  /** Also removes the rules of these actions. Ignores names that are not granted. @throws NotFoundError */
  revoke(type: string, permissions: readonly string[]): Promise<Role>
  /** Prevents the removal of a role until the transaction ends. Returns false if the role does not exist. */
  hold(documentId: string, session: Session): Promise<boolean>
  /** @throws NotFoundError, ApplicationError for `public`, `authenticated` and roles with users */
  remove(type: string, assertMayChange?: AssertMayChange): Promise<Role>
}

/** Checks additions and removals. Otherwise a principal could revoke permissions that it cannot restore. */
export type AssertMayChange = (changed: readonly string[], rules: readonly StoredRule[]) => void

const ANY_CHANGE: AssertMayChange = () => undefined

interface RoleInput {
  readonly name: string
  readonly type: string
  readonly description?: string
  readonly permissions?: readonly string[]
  readonly rules?: readonly StoredRule[]
}

const DESCRIPTION = Joi.string().max(1_000).allow('')

const CREATE = Joi.object<RoleInput>({
  name: shortText().required(),
  type: Joi.string()
    .max(64)
    .pattern(/^[a-z][a-z0-9_-]*$/)
    .required()
    .messages({
      'string.pattern.base': '{{#label}} must be lower-case letters, digits, _ and -',
    }),
  description: DESCRIPTION,
  permissions: permissionsRule(),
  rules: rulesInput(actionRule()),
})

const UPDATE = Joi.object<Partial<RoleInput>>({
  name: shortText(),
  type: Joi.string(),
  description: DESCRIPTION,
  permissions: permissionsRule(),
  rules: rulesInput(actionRule()),
})

export interface RolesContext {
  readonly db: Database
  readonly actions: Actions
  readonly versionedCache: Pick<VersionedCache<unknown>, 'change'>
  readonly now: () => Date
  readonly users: Pick<EndUsers, 'countOf'>
}

export function openRoles(context: RolesContext): Roles {
  const { db } = context
  const { schema } = context.actions
  const roles = collectionOf(db)
  return {
    list: () => findRoles(db, schema),
    get: async (type) => {
      const row = await roles.findOne({ _id: rowId(type) })
      if (row === null) throw noSuchRole(type)
      return toRole(row, schema)
    },
    create: (input, assertMayChange) => createRole(context, input, assertMayChange),
    update: (type, input, assertMayChange) => updateRole(context, type, input, assertMayChange),
    grant: (type, names) =>
      changeRole(context, type, ({ permissions }) => ({
        permissions: [...new Set([...permissions, ...names.map(canonicalAction)])],
      })),
    grantRules: (type, rules) => changeRole(context, type, (role) => withRules(role, rules)),
    revoke: (type, names) => {
      const revoked = new Set([...names, ...names.map(canonicalAction)])
      return changeRole(context, type, ({ permissions, rules = [] }) => ({
        permissions: permissions.filter((name) => !revoked.has(name)),
        rules: rules.filter(({ action }) => !revoked.has(action)),
      }))
    },
    hold: (documentId, session) => holdRole(db, documentId, session),
    remove: (type, assertMayChange) => removeRole(context, type, assertMayChange),
  }
}

function withRules(
  { type, permissions, rules = [] }: Role,
  wanted: readonly StoredRule[],
): Pick<RoleInput, 'rules'> {
  const added = wanted.map((rule) => ({ ...rule, action: canonicalAction(rule.action) }))
  const held = added.find(({ action }) => permissions.includes(action))
  if (held !== undefined) {
    const message = `The role ${type} has ${held.action} without a rule; revoke it first`
    throw new ApplicationError(message)
  }
  const isNew = (one: StoredRule): boolean => !rules.some((other) => sameRule(one, other))
  return { rules: [...rules, ...added.filter(isNew)] }
}

const FIXED_ROLES: readonly string[] = [PUBLIC_ROLE, AUTHENTICATED_ROLE, ANONYMOUS_ROLE]

async function removeRole(
  { db, actions, versionedCache, users }: RolesContext,
  type: string,
  assertMayChange = ANY_CHANGE,
): Promise<Role> {
  if (FIXED_ROLES.includes(type)) {
    const message = `The role ${type} cannot be removed`
    throw new ApplicationError(message, {}, because(message, 'role.fixed'))
  }
  return versionedCache.change(async (session) => {
    await lockName(db, lockOf(roleDocumentId(type)), session)
    const row = await collectionOf(db).findOneAndDelete({ _id: rowId(type) }, { session })
    if (row === null) throw noSuchRole(type)
    const { rules = [] } = toRole(row, actions.schema)
    assertMayChange(
      row.permissions.filter((name) => actions.has(name)),
      rules,
    )
    const count = await users.countOf(row.documentId, session)
    if (count > 0) {
      const message = `The role ${type} has ${count} users`
      throw new ApplicationError(message, {}, { code: 'role_in_use' })
    }
    noteRow(session, 'delete', { type: ROLE_TYPE, documentId: row.documentId })
    return toRole(row, actions.schema)
  })
}

/** Serializes assigning and removing a role. */
function lockOf(documentId: string): string {
  return `role ${documentId}`
}

/** Built-in roles cannot be removed, so registrations need no lock. */
const LASTING: ReadonlySet<string> = new Set(FIXED_ROLES.map(roleDocumentId))

async function holdRole(db: Database, documentId: string, session: Session): Promise<boolean> {
  if (LASTING.has(documentId)) return true
  await lockName(db, lockOf(documentId), session)
  const options = { session, projection: { _id: 1 } } as const
  return (await collectionOf(db).findOne({ documentId }, options)) !== null
}

async function createRole(
  context: RolesContext,
  input: unknown,
  assertMayChange = ANY_CHANGE,
): Promise<Role> {
  const { db, actions, versionedCache, now } = context
  const { type, name, description = '', permissions = [], rules = [] } = readInput(CREATE, input)
  assertKnownActions(actions, permissions)
  assertRules(actions.schema, rules)
  assertMayChange(permissions, rules)
  const roles = collectionOf(db)
  return versionedCache.change(async (session, id) => {
    const holder = await roles.findOne({ _id: rowId(type) }, { session })
    if (holder !== null) throw takenError('type', type)
    await assertNameFree(db, session, name, type)
    const stored = rules.length > 0 && { rules: rules.map((one) => toRuleRow(actions.schema, one)) }
    const row = toRoleRow({ id, type, name, description, permissions, ...stored }, now())
    await roles.insertOne(row, { session })
    noteRow(session, 'put', { type: ROLE_TYPE, documentId: row.documentId })
    return toRole(row, actions.schema)
  })
}

async function updateRole(
  context: RolesContext,
  type: string,
  input: unknown,
  assertMayChange = ANY_CHANGE,
): Promise<Role> {
  const wanted = readInput(UPDATE, input)
  if (wanted.type !== undefined && wanted.type !== type) {
    throw inputError('type', 'type cannot be changed', wanted.type, { code: 'any.fixed' })
  }
  return changeRole(context, type, ({ permissions, rules = [] }) => {
    const changed = changedActions(permissions, wanted.permissions ?? permissions)
    const changedRules = differingRules(rules, wanted.rules ?? rules)
    // A project may have deleted the content-type of a stored permission.
    assertMayChange(
      changed.filter((name) => context.actions.has(name)),
      changedRules,
    )
    return wanted
  })
}

function changedActions(before: readonly string[], after: readonly string[]): readonly string[] {
  const added = after.filter((name) => !before.includes(name))
  const removed = before.filter((name) => !after.includes(name))
  return [...added, ...removed]
}

function changeRole(
  { db, actions, versionedCache, now }: RolesContext,
  type: string,
  edit: (role: Role) => Partial<Omit<RoleInput, 'type'>>,
): Promise<Role> {
  const roles = collectionOf(db)
  return versionedCache.change(async (session) => {
    const row = await roles.findOne({ _id: rowId(type) }, { session })
    if (row === null) throw noSuchRole(type)
    const before = toRole(row, actions.schema)
    const { name, description, permissions, rules = [] } = { ...before, ...edit(before) }
    assertKnownActions(actions, permissions, row.permissions)
    assertRules(actions.schema, rules, before.rules)
    await assertNameFree(db, session, name, type)
    const at = now()
    const stored = (rules.length > 0 || row.rules !== undefined) && {
      rules: rules.map((one) => toRuleRow(actions.schema, one)),
    }
    const changed = { name, description, permissions, ...stored, updatedAt: at, publishedAt: at }
    await roles.updateOne({ _id: row._id }, { $set: changed }, { session })
    noteRow(session, 'put', { type: ROLE_TYPE, documentId: row.documentId })
    return toRole({ ...row, ...changed }, actions.schema)
  })
}

async function assertNameFree(
  db: Database,
  session: Session,
  name: string,
  type: string,
): Promise<void> {
  const holder = await collectionOf(db).findOne({ name }, { session })
  if (holder !== null && holder.type !== type) throw takenError('name', name)
}

function noSuchRole(type: string): NotFoundError {
  return new NotFoundError(`There is no role ${type}`)
}
